// Numbers and names in JSON that read back as what they were.
#include "checkpoint/saved_json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace lacon::inline checkpoint {

// Numbers go through JSON exactly: the shortest text that reads back as the same double. What JSON
// has no number for is a text.
Json exact(double x) {
    if (std::isfinite(x)) return x;
    return std::isnan(x) ? "nan" : x > 0.0 ? "inf" : "-inf";
}
double exact(const Json& json) {
    if (!json.is_string()) return json.get<double>();
    const std::string text = json;
    return text == "nan" ? std::numeric_limits<double>::quiet_NaN()
                         : (text == "inf" ? 1.0 : -1.0) * std::numeric_limits<double>::infinity();
}

Json list(const std::vector<double>& values) {
    Json json = Json::array();
    for (const double x : values) json.push_back(exact(x));
    return json;
}
std::vector<double> numbers(const Json& json) {
    std::vector<double> values;
    for (const Json& x : json) values.push_back(exact(x));
    return values;
}

const Json& entry(const Json& json, const char* name, const char* older) {
    return json.contains(name) || !json.contains(older) ? json.at(name) : json.at(older);
}

std::size_t number_of(std::string_view name, std::span<const std::string_view> names) {
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return i;
    throw std::invalid_argument(fmt::format("'{}' is not known", name));
}

void check_version(const Json& found, Versions versions) {
    if (!found.is_number_integer() || found < versions.oldest || found > versions.newest)
        throw std::invalid_argument(
            fmt::format("it has version {}; this program reads versions {} "
                        "to {}",
                        found.dump(), versions.oldest, versions.newest));
}

}  // namespace lacon::checkpoint
