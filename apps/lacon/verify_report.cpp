// Reports digits as whole numbers, rounded down, and names the value with the fewest. Unknown
// errors are null in the JSON.
#include "verify_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "layout.hpp"

namespace lacon::app {

namespace {

const Verification::Value& fewest_digits(const std::vector<Verification::Value>& values) {
    return *std::min_element(values.begin(), values.end(),
                             [](const auto& a, const auto& b) { return a.digits < b.digits; });
}

/// "11 digits", "15 digits or more".
std::string digits_text(double digits) {
    constexpr double all = 15.0;  // beyond, rounding of the numbers themselves is all there is
    if (digits >= all) return "15 digits or more";
    const auto whole = static_cast<std::size_t>(std::max(0.0, std::floor(digits)));
    return whole == 0 ? "no digit" : counted(whole, "digit");
}

std::string part_text(const char* what, const std::vector<Verification::Value>& values) {
    const Verification::Value& worst = fewest_digits(values);
    return fmt::format("{} correct to {}; least accurate {}, error about {}", what,
                       digits_text(worst.digits), worst.name, rounded(worst.error, 2));
}

/// Errors that are not known are null.
Json errors_of(const std::vector<Verification::Value>& values) {
    Json json = Json::object();
    for (const Verification::Value& value : values)
        json[value.name] = std::isfinite(value.error) ? Json(value.error) : Json(nullptr);
    return json;
}

}  // namespace

std::string verification_text(const Verification& v, const MotionSummary& s) {
    std::string text;
    if (!v.final.empty()) text += line("verified", part_text("final state", v.final));
    if (!v.outputs.empty()) text += line("", part_text("outputs", v.outputs));
    const char* label = text.empty() ? "verified" : "";
    if (!v.lasts)
        text +=
            line(label,
                 fmt::format("{} digits are correct only until t = {}: small errors grow too fast",
                             rounded(Verification::kept_digits), rounded(v.until, 4)));
    if (v.events > 0 && !s.events.empty())
        text += line("", fmt::format("times of {} correct to within {}", counted(v.events, "event"),
                                     rounded(v.event_time_error, 2)));
    if (!v.trouble.empty()) text += line("", v.trouble);
    return text + line("", fmt::format("compared with a second run ({}, tolerance {}); total time "
                                       "{} times that of the first run",
                                       v.method, rounded(v.tolerance, 3), rounded(v.cost, 2)));
}

Json verification_json(const Verification& v) {
    Json json{{"final", errors_of(v.final)},
              {"outputs", errors_of(v.outputs)},
              {"digits", v.final.empty() ? Json(nullptr) : Json(v.digits)},
              {"until", v.until},
              {"lasts", v.lasts},
              {"events", {{"agree", v.events}, {"time_error", v.event_time_error}}},
              {"method", v.method},
              {"tolerance", v.tolerance},
              {"cost", v.cost}};
    if (!v.trouble.empty()) json["trouble"] = v.trouble;
    return json;
}

}  // namespace lacon::app
