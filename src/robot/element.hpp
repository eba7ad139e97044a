// XML files as trees of elements that know their places: what the readers of robots work on.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"

namespace lacon::inline robot {

using File = std::shared_ptr<const SourceText>;

/// A place in one of the files that a robot is read from.
struct FilePlace {
    File file;
    Span span;
};

struct Attribute {
    std::string name, value;
    FilePlace place;  // of the value, without its quotes
};

/// An element with its attributes and children; texts between them are not kept.
struct Element {
    std::string name;
    FilePlace place;  // of the name behind `<`
    std::vector<Attribute> attributes;
    std::vector<Element> children;

    const Attribute* attribute(std::string_view name) const;
    bool has(std::string_view attribute_name) const { return attribute(attribute_name) != nullptr; }
    /// An attribute's text; empty where it is missing.
    std::string_view text(std::string_view attribute_name) const;
    const Element* child(std::string_view child_name) const;  // the first one
    FilePlace place_of(std::string_view attribute_name) const;
};

/// What robot files may ask for, so that none can exhaust time or memory.
struct ReadLimits {
    std::size_t bytes = std::size_t{64} << 20;  // of one file
    std::size_t elements = 400'000;             // of all files, and of what is repeated
    std::size_t depth = 1000;                   // of elements in elements, and of files in files
};

/// Thrown after an error that nothing can be read behind; it is reported already.
struct GaveUp {};

/// Collects what is wrong with the files of a robot. Warnings are given out when it ends, each text
/// once, at the first place that it is about.
class Report {
public:
    explicit Report(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}
    ~Report();
    Report(const Report&) = delete;
    Report& operator=(const Report&) = delete;

    void error(const FilePlace& place, std::string message, std::string hint = {});
    void warning(const FilePlace& place, std::string message, std::string hint = {});
    bool has_errors() const { return errors_ > 0; }

private:
    struct Warning {
        Diagnostic first;
        std::size_t more = 0;  // places with the same text
    };

    Diagnostics& diagnostics_;
    std::vector<Warning> warnings_;
    std::map<std::string, std::size_t> numbers_;  // of warnings, by their texts
    std::size_t errors_ = 0;
};

/// Parses the text of a file. What is no XML is reported with its place, and throws GaveUp.
/// Document types are refused, and with them all entities but the five of XML itself.
Element parse_xml(const File& file, Report& report, const ReadLimits& limits = {});

/// Numbers of an attribute, separated by blanks; each is finite and at most 1e100 in size, so that
/// products of them are. None where one cannot be read, which is reported.
std::optional<std::vector<double>> read_numbers(const Attribute& attribute, Report& report);

}  // namespace lacon::robot
