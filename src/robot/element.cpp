// Turns XML into elements. pugixml parses, and is known here only; it keeps the places of names,
// from which those of attributes are found in the text.
#include "robot/element.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <pugixml.hpp>

#include "base/text.hpp"

namespace lacon::inline robot {

namespace {

// Larger ones are slips, or mean "none"; products and sums of such numbers stay finite.
constexpr double largest_number = 1e100;

bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// Builds elements from pugixml's nodes.
class Tree {
public:
    Tree(const File& file, Report& report, const ReadLimits& limits)
        : file_(file), report_(report), limits_(limits) {}

    Element element(const pugi::xml_node& node, std::size_t depth) {
        const auto begin =
            static_cast<std::uint32_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0));
        Element result;
        result.name = node.name();
        result.place = {file_, {begin, begin + static_cast<std::uint32_t>(result.name.size())}};
        if (++count_ > limits_.elements)
            give_up(result, "the file has more than {} elements", limits_.elements);
        if (depth > limits_.depth)
            give_up(result, "elements are nested here more than {} deep", limits_.depth);
        attributes(node, result);
        for (const pugi::xml_node& child : node.children())
            if (child.type() == pugi::node_element)
                result.children.push_back(element(child, depth + 1));
        return result;
    }

private:
    template <class... Arguments>
    [[noreturn]] void give_up(const Element& at, fmt::format_string<Arguments...> text,
                              Arguments&&... arguments) {
        report_.error(at.place, fmt::format(text, std::forward<Arguments>(arguments)...));
        throw GaveUp{};
    }

    /// The text is known to be well-formed: name = "value", in the order of pugixml's attributes.
    void attributes(const pugi::xml_node& node, Element& element) {
        const std::string_view text = file_->text();
        std::size_t at = element.place.span.end;
        for (const pugi::xml_attribute& attribute : node.attributes()) {
            while (at < text.size() && is_blank(text[at])) ++at;
            const auto quote = std::min(text.find_first_of("\"'", at), text.size());
            const std::size_t begin = std::min(quote + 1, text.size());
            const std::size_t end =
                std::min(quote < text.size() ? text.find(text[quote], begin) : quote, text.size());
            Attribute result{
                attribute.name(),
                attribute.value(),
                {file_, {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)}}};
            if (element.has(result.name))
                report_.error(result.place, fmt::format("'{}' is given twice here", result.name));
            element.attributes.push_back(std::move(result));
            at = std::min(end + 1, text.size());
        }
    }

    const File& file_;
    Report& report_;
    const ReadLimits& limits_;
    std::size_t count_ = 0;
};

std::string_view what_is_wrong(pugi::xml_parse_status status) {
    switch (status) {
        case pugi::status_bad_pi: return "this XML declaration or instruction is not closed";
        case pugi::status_bad_comment: return "this comment is not closed by '-->'";
        case pugi::status_bad_cdata: return "this CDATA section is not closed";
        case pugi::status_bad_doctype: return "this document type is not well-formed";
        case pugi::status_bad_pcdata: return "this text is not well-formed";
        case pugi::status_bad_start_element: return "this element is not well-formed";
        case pugi::status_bad_attribute:
            return "this attribute is not well-formed; it is written name=\"value\"";
        case pugi::status_bad_end_element: return "this closing element is not well-formed";
        case pugi::status_end_element_mismatch:
            return "this closing element does not match the element that is open, or an element is "
                   "never closed";
        case pugi::status_unrecognized_tag: return "an element has no name here";
        case pugi::status_no_document_element: return "the file has no element";
        case pugi::status_out_of_memory: return "there is not enough memory for this file";
        default: return "this is not XML";
    }
}

/// An entity that is not one of XML's own: pugixml leaves it as it is.
void refuse_entities(const Element& element, Report& report) {
    for (const Attribute& attribute : element.attributes)
        if (const auto at = attribute.value.find('&'); at != std::string::npos) {
            const auto end = attribute.value.find(';', at);
            const std::string_view known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};
            const std::string_view written = element.place.file->text(attribute.place.span);
            const bool own = std::any_of(std::begin(known), std::end(known), [&](auto entity) {
                return written.find(entity) != std::string_view::npos;
            });
            if (end != std::string::npos && !own)
                report.error(
                    attribute.place,
                    fmt::format("'{}' holds an entity that XML does not define", attribute.value),
                    "write the text itself: entities of a document type are not read");
        }
    for (const Element& child : element.children) refuse_entities(child, report);
}

}  // namespace

const Attribute* Element::attribute(std::string_view wanted) const {
    const auto found = std::find_if(attributes.begin(), attributes.end(),
                                    [&](const Attribute& a) { return a.name == wanted; });
    return found == attributes.end() ? nullptr : &*found;
}

std::string_view Element::text(std::string_view attribute_name) const {
    const Attribute* found = attribute(attribute_name);
    return found != nullptr ? std::string_view(found->value) : std::string_view();
}

const Element* Element::child(std::string_view child_name) const {
    const auto found = std::find_if(children.begin(), children.end(),
                                    [&](const Element& e) { return e.name == child_name; });
    return found == children.end() ? nullptr : &*found;
}

FilePlace Element::place_of(std::string_view attribute_name) const {
    const Attribute* found = attribute(attribute_name);
    return found != nullptr ? found->place : place;
}

void Report::error(const FilePlace& place, std::string message, std::string hint) {
    ++errors_;
    diagnostics_.add(
        {Diagnostic::Severity::error, place.span, std::move(message), std::move(hint), place.file});
}

void Report::warning(const FilePlace& place, std::string message, std::string hint) {
    const auto [known, is_new] = numbers_.try_emplace(message, warnings_.size());
    if (!is_new) ++warnings_[known->second].more;
    else
        warnings_.push_back({{Diagnostic::Severity::warning, place.span, std::move(message),
                              std::move(hint), place.file}});
}

Report::~Report() {
    for (Warning& warning : warnings_) {
        if (warning.more > 0)
            warning.first.message +=
                fmt::format(" (as in {})", counted(warning.more, "more place"));
        diagnostics_.add(std::move(warning.first));
    }
}

Element parse_xml(const File& file, Report& report, const ReadLimits& limits) {
    const std::string_view text = file->text();
    const auto give_up = [&](std::size_t at, std::string message, std::string hint = {}) {
        const auto begin = static_cast<std::uint32_t>(std::min(at, text.size()));
        report.error({file, {begin, begin + 1}}, std::move(message), std::move(hint));
        throw GaveUp{};
    };
    if (text.size() > limits.bytes)
        give_up(0, fmt::format("the file has {} MiB; at most {} MiB are read", text.size() >> 20,
                               limits.bytes >> 20));
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
        give_up(0, "the file is in UTF-16", "save the file as UTF-8");
    if (const auto zero = text.find('\0'); zero != std::string_view::npos)
        give_up(zero, "the file holds a character NUL: it is no XML");
    pugi::xml_document document;
    const pugi::xml_parse_result result = document.load_buffer(
        text.data(), text.size(), pugi::parse_default | pugi::parse_doctype, pugi::encoding_utf8);
    const std::size_t mark = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    if (!result)
        give_up(mark + static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0)),
                std::string(what_is_wrong(result.status)));
    for (const pugi::xml_node& node : document.children())
        if (node.type() == pugi::node_doctype)
            give_up(std::min(text.find("<!DOCTYPE"), text.size()),
                    "document types are not read: they may define entities without end",
                    "remove the line that begins with '<!DOCTYPE'");
    const pugi::xml_node root = document.document_element();
    if (!root) give_up(0, "the file has no element");
    Element element = Tree(file, report, limits).element(root, 1);
    refuse_entities(element, report);
    return element;
}

std::optional<std::vector<double>> read_numbers(const Attribute& attribute, Report& report) {
    std::vector<double> numbers;
    const std::string& text = attribute.value;
    const auto refuse = [&](const std::string& message) {
        report.error(attribute.place, message);
        return std::nullopt;
    };
    const char *at = text.data(), *const end = at + text.size();
    while (true) {
        while (at < end && is_blank(*at)) ++at;
        if (at == end) return numbers;
        const char* const stop = std::find_if(at, end, is_blank);
        const std::string word(at, stop);
        double number = 0;
        if (*at == '+' && at + 1 < stop && at[1] != '-' && at[1] != '+') ++at;
        const auto read = std::from_chars(at, stop, number);
        if (read.ec == std::errc::result_out_of_range)
            return refuse(fmt::format("'{}' is out of the range of numbers", word));
        if (read.ec != std::errc() || read.ptr != stop)
            return refuse(fmt::format("'{}' is not a number", word));
        if (!std::isfinite(number) || std::abs(number) > largest_number)
            return refuse(fmt::format("'{}' is too large: numbers go up to {}", word,
                                      shortest(largest_number)));
        numbers.push_back(number);
        at = stop;
    }
}

}  // namespace lacon::robot
