#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "expr/print.hpp"

namespace lacon {

namespace {

constexpr std::array greek = {"alpha", "beta",  "gamma", "delta", "epsilon", "zeta",  "eta", "theta",   "iota", "kappa", "lambda",
                              "mu",    "nu",    "xi",    "pi",    "rho",     "sigma", "tau", "upsilon", "phi",  "chi",   "psi",
                              "omega", "Gamma", "Delta", "Theta", "Lambda",  "Xi",    "Pi",  "Sigma",   "Phi",  "Psi",   "Omega"};

/// Greek letters of Unicode, small from U+03B1 (with a final sigma between), by LaTeX's names; others stay as they are.
std::string stem(const std::string& name) {
    if (std::find(greek.begin(), greek.end(), name) != greek.end()) return "\\" + name;
    const bool ascii = std::all_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    if (!ascii && count_characters(name) == 1) {
        static constexpr std::array small = {"alpha", "beta",   "gamma",   "delta", "epsilon", "zeta", "eta",  "theta", "iota",
                                             "kappa", "lambda", "mu",      "nu",    "xi",      "o",    "pi",   "rho",   "",
                                             "sigma", "tau",    "upsilon", "phi",   "chi",     "psi",  "omega"};
        const char32_t code = read_character(name, 0).code;
        if (code >= 0x3B1 && code < 0x3B1 + small.size() && *small[code - 0x3B1]) return std::string("\\") + small[code - 0x3B1];
    }
    return count_characters(name) == 1 ? name : fmt::format("\\mathrm{{{}}}", name);
}

}  // namespace

std::string latex_name(const std::string& name) {
    std::string rest = name;
    std::size_t primes = 0;
    while (!rest.empty() && rest.back() == '\'') rest.pop_back(), ++primes;

    std::string subscript;
    if (const auto bracket = rest.find('['); bracket != std::string::npos) {
        subscript = rest.substr(bracket + 1, rest.size() - bracket - 2);
        rest.erase(bracket);
    }
    std::size_t split = rest.find('_');
    if (split == std::string::npos || split == 0) {
        split = rest.size();
        while (split > 0 && std::isdigit(static_cast<unsigned char>(rest[split - 1]))) --split;
    }
    if (split > 0 && split < rest.size()) {
        std::string tail = rest.substr(split + (rest[split] == '_' ? 1 : 0));
        std::replace(tail.begin(), tail.end(), '_', ' ');
        subscript = subscript.empty() ? tail : tail + "," + subscript;
        rest.erase(split);
    }
    std::string text = stem(rest);
    if (primes == 1) text = fmt::format("\\dot{{{}}}", text);
    if (primes == 2) text = fmt::format("\\ddot{{{}}}", text);
    const bool word =
        std::count_if(subscript.begin(), subscript.end(), [](char c) { return std::isalpha(static_cast<unsigned char>(c)); }) > 1;
    std::replace(subscript.begin(), subscript.end(), '_', ' ');
    if (word) subscript = fmt::format("\\mathrm{{{}}}", subscript);
    if (!subscript.empty()) text += fmt::format("_{{{}}}", subscript);
    return text;
}

}  // namespace lacon
