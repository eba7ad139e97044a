// Turns a name of the language into LaTeX: the first part is the letter, the other parts are
// subscripts, primes become dots, and names of Greek letters become those letters.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "expr/print.hpp"

namespace lacon::inline expr {

namespace {

constexpr std::array greek = {"alpha", "beta",  "gamma", "delta",  "epsilon", "zeta",   "eta",
                              "theta", "iota",  "kappa", "lambda", "mu",      "nu",     "xi",
                              "pi",    "rho",   "sigma", "tau",    "upsilon", "phi",    "chi",
                              "psi",   "omega", "Gamma", "Delta",  "Theta",   "Lambda", "Xi",
                              "Pi",    "Sigma", "Phi",   "Psi",    "Omega"};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Greek letters of Unicode, small from U+03B1 (with a final sigma between), by LaTeX's names;
/// others stay as they are.
std::string stem(const std::string& name) {
    if (std::find(greek.begin(), greek.end(), name) != greek.end()) return "\\" + name;
    const bool ascii = std::all_of(name.begin(), name.end(),
                                   [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (!ascii && count_characters(name) == 1) {
        static constexpr std::array small = {
            "alpha", "beta",   "gamma",   "delta", "epsilon", "zeta", "eta",  "theta", "iota",
            "kappa", "lambda", "mu",      "nu",    "xi",      "o",    "pi",   "rho",   "",
            "sigma", "tau",    "upsilon", "phi",   "chi",     "psi",  "omega"};
        const char32_t code = read_character(name, 0).code;
        if (code >= 0x3B1 && code < 0x3B1 + small.size() && *small[code - 0x3B1])
            return std::string("\\") + small[code - 0x3B1];
    }
    const bool number =
        std::all_of(name.begin(), name.end(), [](char c) { return is_digit(c) || c == '-'; });
    return number || name == "\\_" || count_characters(name) == 1
               ? name
               : fmt::format("\\mathrm{{{}}}", name);
}

/// "rod_left[3].x" in rod, left, 3, x; "theta12" in theta, 12. The first one is the letter, the
/// others its subscripts.
std::vector<std::string> parts_of(const std::string& name) {
    constexpr std::string_view separators = "_[].,";
    std::vector<std::string> parts;
    for (std::size_t begin = 0; begin < name.size();) {
        const std::size_t end = std::min(name.find_first_of(separators, begin), name.size());
        std::size_t digits = end;
        while (digits > begin && is_digit(name[digits - 1])) --digits;
        if (digits > begin && name[digits - 1] == '-') --digits;  // of a negative index
        if (digits > begin) parts.push_back(name.substr(begin, digits - begin));
        if (end > digits) parts.push_back(name.substr(digits, end - digits));
        begin = end + 1;
    }
    return parts;
}

}  // namespace

std::string latex_name(const std::string& name) {
    std::string rest = name;
    std::size_t primes = 0;
    while (!rest.empty() && rest.back() == '\'') rest.pop_back(), ++primes;

    std::vector<std::string> parts = parts_of(rest);
    if (rest.starts_with('_'))
        parts.insert(parts.begin(), "\\_");  // a first underscore has no letter to stand below
    std::string text = stem(parts.front());
    if (primes == 1) text = fmt::format("\\dot{{{}}}", text);
    if (primes == 2) text = fmt::format("\\ddot{{{}}}", text);
    std::string subscript;
    for (std::size_t i = 1; i < parts.size(); ++i) subscript += (i > 1 ? "," : "") + stem(parts[i]);
    return subscript.empty() ? text : fmt::format("{}_{{{}}}", text, subscript);
}

}  // namespace lacon::expr
