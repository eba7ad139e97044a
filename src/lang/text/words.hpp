// Keywords, built-in functions and reserved names.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "expr/graph.hpp"

/// The words the language knows.
namespace lacon::lang {

enum class Keyword {
    model,
    param,
    coord,
    let,
    data,
    particle,
    gravity,
    kinetic,
    potential,
    dissipation,
    force,
    equation,
    constraint,
    nonideal,
    control,
    start,
    simulate,
    output,
    draw,
    event,
    body,
    joint,
    import,
    friction,
    torque,
    contact,
};

/// The keyword that begins a statement.
std::optional<Keyword> find_keyword(std::string_view word);
std::string_view spelling(Keyword keyword);

/// A built-in function of scalars (`op` set) or of vectors.
struct Function {
    enum class Form {
        scalar,
        chain,
        dot,
        cross,
        norm,
        mod,
        rotation,  // these four give unit quaternions
        rpy,
        euler,
        quaternion
    };  // chain: two or more arguments, nested
    std::string_view name;
    Form form = Form::scalar;
    Op op = Op::constant;
    std::size_t arguments = 1;  // exactly; of a chain at least
};
const Function* find_function(std::string_view name);

/// Whether a name cannot be declared: keywords, functions, `t`, `pi`, `and`, … (but `load`,
/// `floor`, `mod`, `deg`, `torque` and the rotation functions can)
bool is_reserved(std::string_view word);
/// A built-in function that a model may declare anew.
bool is_free_function(std::string_view word);
/// What a word of the language is, for a message: "a keyword", "a built-in function", "the time", …
std::string_view nature_of(std::string_view reserved_word);

std::vector<std::string> keyword_names();
std::vector<std::string> function_names();

}  // namespace lacon::lang
