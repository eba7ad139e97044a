// Tables of keywords, built-in functions and reserved words. The table of keywords must keep the
// order of the enumeration `Keyword`.
#include "lang/text/words.hpp"

#include <algorithm>
#include <array>

namespace lacon::lang {

namespace {

/// In the order of `Keyword`.
constexpr std::array<std::string_view, 26> keywords = {
    "model",   "param",     "coord",       "let",    "data",     "particle",   "gravity",
    "kinetic", "potential", "dissipation", "force",  "equation", "constraint", "nonideal",
    "control", "start",     "simulate",    "output", "draw",     "event",      "body",
    "joint",   "import",    "friction",    "torque", "contact"};

constexpr std::array functions = {
    Function{"sin", Function::Form::scalar, Op::sin},
    Function{"cos", Function::Form::scalar, Op::cos},
    Function{"tan", Function::Form::scalar, Op::tan},
    Function{"asin", Function::Form::scalar, Op::asin},
    Function{"acos", Function::Form::scalar, Op::acos},
    Function{"atan", Function::Form::scalar, Op::atan},
    Function{"sinh", Function::Form::scalar, Op::sinh},
    Function{"cosh", Function::Form::scalar, Op::cosh},
    Function{"tanh", Function::Form::scalar, Op::tanh},
    Function{"exp", Function::Form::scalar, Op::exp},
    Function{"log", Function::Form::scalar, Op::log},
    Function{"sqrt", Function::Form::scalar, Op::sqrt},
    Function{"abs", Function::Form::scalar, Op::abs},
    Function{"sign", Function::Form::scalar, Op::sign},
    Function{"atan2", Function::Form::scalar, Op::atan2, 2},
    Function{"hypot", Function::Form::chain, Op::hypot, 2},
    Function{"min", Function::Form::chain, Op::min, 2},
    Function{"max", Function::Form::chain, Op::max, 2},
    Function{"dot", Function::Form::dot, Op::constant, 2},
    Function{"cross", Function::Form::cross, Op::constant, 2},
    Function{"norm", Function::Form::norm, Op::constant, 1},
    Function{"floor", Function::Form::scalar, Op::floor},
    Function{"mod", Function::Form::mod, Op::constant, 2},
    Function{"rotation", Function::Form::rotation, Op::constant, 2},
    Function{"rpy", Function::Form::rpy, Op::constant, 3},
    Function{"euler", Function::Form::euler, Op::constant, 3},
    Function{"quaternion", Function::Form::quaternion, Op::constant, 4},
};

/// Forms known by name: their arguments are no plain values.
constexpr std::array<std::string_view, 3> special_forms = {"if", "sum", "load"};
/// What models may use as a name of their own all the same; a call such as load(C) stays what it
/// is.
constexpr std::array<std::string_view, 10> free_words = {
    "load", "floor", "mod", "deg", "torque", "contact", "rotation", "rpy", "euler", "quaternion"};
/// Functions of which models may have their own of that name.
constexpr std::array<std::string_view, 4> free_functions = {"rotation", "rpy", "euler",
                                                            "quaternion"};
/// A keyword where a statement begins, and any name elsewhere.
constexpr std::string_view keyword_at_begin = "friction";
constexpr std::array<std::string_view, 5> small_words = {"for", "in", "and", "or", "not"};

template <class Words>
bool contains(const Words& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace

std::optional<Keyword> find_keyword(std::string_view word) {
    const auto found = std::find(keywords.begin(), keywords.end(), word);
    if (found == keywords.end()) return std::nullopt;
    return static_cast<Keyword>(found - keywords.begin());
}

std::string_view spelling(Keyword keyword) {
    return keywords[static_cast<std::size_t>(keyword)];
}

const Function* find_function(std::string_view name) {
    const auto found = std::find_if(functions.begin(), functions.end(),
                                    [&](const Function& f) { return f.name == name; });
    return found == functions.end() ? nullptr : &*found;
}

bool is_reserved(std::string_view word) {
    return !nature_of(word).empty() && !contains(free_words, word);
}

bool is_free_function(std::string_view word) {
    return contains(free_functions, word);
}

std::string_view nature_of(std::string_view word) {
    if (word == "t") return "the time";
    if (word == "pi") return "the number pi";
    if (word == "deg") return "the number deg";
    if (word == "energy") return "the energy of the model";
    if (word == keyword_at_begin) return {};
    if (contains(keywords, word) || contains(small_words, word)) return "a keyword";
    if (find_function(word) != nullptr || contains(special_forms, word))
        return "a built-in function";
    return {};
}

std::vector<std::string> keyword_names() {
    return {keywords.begin(), keywords.end()};
}

std::vector<std::string> function_names() {
    std::vector<std::string> names = {special_forms.begin(), special_forms.end()};
    for (const Function& function : functions) names.emplace_back(function.name);
    return names;
}

}  // namespace lacon::lang
