// Build a model from C++ instead of a .lac file.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "lacon/mechanism.hpp"

namespace lacon {

/// A model written from C++, statement by statement; expressions are texts of the model language
/// (docs/language.md).
///
///     lacon::Builder b("Pendulum");
///     b.param("L", 1.0).param("g", 9.81).coord({"x", "y"});
///     b.particle("bob", {"x", "y"}, "1").gravity({"0", "-g"});
///     b.constraint("rod", "x^2 + y^2 = L^2").start("x", 0.5).guess("y", -1.0);
///     const lacon::Mechanism pendulum = b.build();
///
/// Nothing is checked before `build`, which reports all errors with their places in `text()`.
class LACON_EXPORT Builder {
public:
    using Texts = std::vector<std::string>;

    explicit Builder(std::string title = "");

    Builder& param(const std::string& name, double value, const std::string& text = "");
    Builder& param(const std::string& name, const std::string& value);
    Builder& coord(const Texts& names);  // also families: "x[1..N]"
    Builder& let(const std::string& name, const std::string& value);
    Builder& particle(const std::string& name, const Texts& position, const std::string& mass);
    Builder& gravity(const Texts& components);
    Builder& kinetic(const std::string& energy);
    Builder& potential(const std::string& energy);
    Builder& dissipation(const std::string& function);
    Builder& force(const std::string& coordinate, const std::string& value);
    Builder& force(const std::string& particle, const Texts& components);
    Builder& equation(const std::string& coordinate, const std::string& equation);
    Builder& constraint(
        const std::string& name,
        const std::string& equation);  // also "y >= 0 restitution e friction mu weight w"
    /// The text after the name and colon: "x = sin(t) by x, y weight 1, 2 gain 20 100 limit -1..1
    /// nearest".
    Builder& control(const std::string& name, const std::string& equation);
    Builder& nonideal(const std::string& coordinate, const std::string& value);
    Builder& nonideal(const std::string& particle, const Texts& components);
    /// Dry friction with this bound, and another one at rest where that is given.
    Builder& friction(const std::string& coordinate, const std::string& bound,
                      const std::string& at_rest = "");
    Builder& start(const std::string& name, double value);  // "x", "x'": holds
    Builder& guess(const std::string& name, double value);  // may move to meet the constraints
    Builder& event(const std::string& name, const std::string& value, bool stop = false);
    Builder& output(const std::string& value);
    Builder& output(const std::string& name, const std::string& value);
    /// Any statement as it would stand in a file, loops with `for` included.
    Builder& statement(const std::string& text);

    /// The model as a file would have it.
    const std::string& text() const { return text_; }
    /// Throws ModelError.
    Mechanism build(const Settings& settings = {}) const;

private:
    std::string title_;
    std::string text_;
};

}  // namespace lacon
