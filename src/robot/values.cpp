// Values of attributes: counts of numbers, truth values, directions; and the files they are in.
#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "base/text.hpp"
#include "robot/readers.hpp"

namespace lacon::inline robot {

namespace {

constexpr std::uintmax_t most_file_bytes = std::uintmax_t{64} << 20;

std::string how_many(std::size_t least, std::size_t most) {
    if (least == most) return counted(least, "number");
    return fmt::format("{} to {} numbers", least, most);
}

}  // namespace

File Files::read(const std::filesystem::path& path, const FilePlace* asked) {
    namespace fs = std::filesystem;
    const auto fail = [&](const std::string& message, std::string hint = {}) {
        if (asked == nullptr) throw std::runtime_error(message);
        report_.error(*asked, message, std::move(hint));
        throw GaveUp{};
    };
    std::error_code problem;
    const fs::path folder = fs::canonical(folder_.empty() ? fs::path(".") : folder_, problem);
    const fs::path real = problem ? fs::path() : fs::canonical(path, problem);
    if (problem) fail(fmt::format("cannot read '{}': there is no such file", path.string()));
    const auto [end, rest] = std::mismatch(folder.begin(), folder.end(), real.begin(), real.end());
    if (end != folder.end())
        fail(fmt::format("'{}' is outside the model's folder and is not read", path.string()),
             "put the file in the model's folder or in one below it");
    if (!fs::is_regular_file(real, problem))
        fail(fmt::format("cannot read '{}': it is no plain file", path.string()));
    if (fs::file_size(real, problem) > most_file_bytes)
        fail(fmt::format("'{}' is larger than {} MiB", path.string(), most_file_bytes >> 20));
    std::ifstream stream(real, std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    if (!stream.is_open() || stream.bad()) fail(fmt::format("cannot read '{}'", path.string()));
    names_.push_back(path.string());
    return std::make_shared<const SourceText>(path.string(), std::move(text));
}

std::optional<std::vector<double>> Values::numbers(const Element& element, std::string_view name,
                                                   std::size_t least, std::size_t most) {
    const Attribute* attribute = element.attribute(name);
    if (attribute == nullptr) return std::nullopt;
    auto read = read_numbers(*attribute, report);
    if (read && (read->size() < least || read->size() > most)) {
        report.error(element.place_of(name),
                     fmt::format("'{}' takes {}, but there {} {} here", name, how_many(least, most),
                                 read->size() == 1 ? "is" : "are", read->size()));
        return std::nullopt;
    }
    return read;
}

std::optional<double> Values::number(const Element& element, std::string_view name) {
    const auto read = numbers(element, name, 1, 1);
    return read ? std::optional(read->front()) : std::nullopt;
}

double Values::number(const Element& element, std::string_view name, double otherwise) {
    return number(element, name).value_or(otherwise);
}

Vector Values::vector(const Element& element, std::string_view name, const Vector& otherwise) {
    const auto read = numbers(element, name, 3, 3);
    return read ? Vector{(*read)[0], (*read)[1], (*read)[2]} : otherwise;
}

std::optional<bool> Values::truth(const Element& element, std::string_view name) {
    const std::string_view text = element.text(name);
    if (!element.has(name) || text == "auto") return std::nullopt;
    if (text == "true" || text == "1") return true;
    if (text != "false" && text != "0")
        report.error(element.place_of(name),
                     fmt::format("'{}' is 'true' or 'false', not '{}'", name, text));
    return false;
}

Vector Values::direction(const Element& element, std::string_view name, const Vector& otherwise) {
    const Vector given = vector(element, name, otherwise);
    const double size = length(given);
    if (size > 0) return (1 / size) * given;
    report.error(element.place_of(name), fmt::format("'{}' has no direction: it is zero", name));
    return otherwise;
}

}  // namespace lacon::robot
