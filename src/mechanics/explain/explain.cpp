// Prints the symbolic equations section by section, each expression tidied first. LaTeX is broken
// into lines, and parts too long for a line get abbreviations.
#include "mechanics/explain/explain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "expr/print.hpp"
#include "expr/tidy.hpp"
#include "expr/traverse.hpp"
#include "mechanics/explain/machine.hpp"

namespace lacon::inline mechanics {

namespace {

class Explanation {
public:
    Explanation(const DerivedModel& details, bool latex, std::size_t most_lines)
        : details_(details),
          eq_(symbolic_equations(details, false)),
          latex_(latex),
          most_lines_(most_lines),
          writer_(eq_.graph) {}

    std::string run() {
        const std::size_t n = details_.system.coordinate_count, m = details_.system.row_count();
        text_ = latex_ ? fmt::format("% {}\n", details_.name)
                       : fmt::format("{}\n{}, {}\n", details_.name, counted(n, "coordinate"),
                                     counted(m, "constraint row"));
        const Model& model = details_.model;
        const bool ideal = model.frictions.empty() && model.dry_frictions.empty() &&
                           model.nonideal.empty() && model.particle_nonideal.empty();
        machine_section();
        section(fmt::format("Equations of motion, {}", law_of(details_)), n,
                [&](std::size_t i) { motion_line(i); });
        if (m)
            section("Constraints, and the rows A q'' = b they give", m,
                    [&](std::size_t r) { constraint_lines(r); });
        if (!ideal) nonideal_section();
        if (!model.controls.empty()) control_sections();
        if (eq_.explicit_acceleration) acceleration_section();
        abbreviation_section();
        return text_;
    }

private:
    using Lines = std::vector<std::string>;
    std::string as_it_is(Expr e) const {
        return latex_ ? to_latex(eq_.graph, e) : to_text(eq_.graph, e);
    }
    std::string print(Expr e) { return as_it_is(tidy(eq_.graph, e)); }
    Lines lines_as_is(Expr e) { return latex_ ? writer_.lines(e) : Lines{to_text(eq_.graph, e)}; }
    Lines lines(Expr e) { return lines_as_is(tidy(eq_.graph, e)); }

    std::string acceleration(std::size_t i) const {
        return as_it_is(details_.model.coordinates[i].a);
    }

    /// Bodies and joints in words, and the recursion that stands for pages of sines.
    void machine_section() {
        const Model& model = details_.model;
        const std::vector<std::string> sentences = joint_sentences(model);
        if (sentences.empty()) return;
        const char* begin = latex_ ? "% " : "  ";
        text_ += latex_ ? "% Bodies and joints\n" : "\nBodies and joints:\n";
        const std::size_t shown =
            latex_ ? sentences.size() : std::min(sentences.size(), most_lines_);
        for (std::size_t i = 0; i < shown; ++i) text_ += fmt::format("{}{}\n", begin, sentences[i]);
        if (sentences.size() > shown)
            text_ +=
                fmt::format("  ... and {} more (--all shows them)\n", sentences.size() - shown);
        if (eq_.recursive.empty()) return;
        for (const char* line :
             {"M and Q of these bodies follow by recursion, in the axes of each body:",
              "  outwards  w = R^T w_p + s q',  e = R^T e_p + (R^T w_p) x s q',",
              "            a = R^T (a_p + e_p x r + w_p x (w_p x r)), a = -g on the ground",
              "  inwards   f = m a + e x m c + w x (w x m c),  n = I e + w x I w + m c x a,",
              "            each with R f, R n + r x R f of the bodies beyond;  Q = -s.n (or -s.f)",
              "  M         the same with w = 0, g = 0 and one q'' = 1: what lies beyond a joint is "
              "one body",
              "  (s: the joint's axis; r, R: place and attitude in the body before, index p)"})
            text_ += fmt::format("{}{}\n", begin, line);
        for (const Joint& joint : model.joints)
            if (joint.coordinates.size() >= 4) {
                text_ += fmt::format(
                    "{}a unit quaternion p adds 2 c (p.p')^2 to T, which is 0: M "
                    "has full rank with it\n",
                    begin);
                break;
            }
    }

    void acceleration_section() {
        const std::vector<NamedForce> forces = named_forces(details_, eq_);
        section("Accelerations, explicitly", details_.system.coordinate_count, [&](std::size_t i) {
            equation({acceleration(i)}, lines((*eq_.explicit_acceleration)[i]));
        });
        const std::size_t shown = std::min(forces.size(), latex_ ? forces.size() : most_lines_);
        for (std::size_t i = 0; i < shown; ++i)
            text_ += fmt::format("{}{}: {}\n", latex_ ? "% " : "  with ", forces[i].symbol,
                                 forces[i].meaning);
    }

    void abbreviation_section() {
        const auto& all = writer_.abbreviations();
        if (!all.empty())
            section("Abbreviations", all.size(),
                    [&](std::size_t i) { equation({all[i].name}, all[i].lines); });
    }

    template <class Line>
    void section(const std::string& title, std::size_t count, const Line& line) {
        if (latex_ && count == 0) {
            text_ += fmt::format("% {}\n", title);
            return;
        }
        text_ += latex_ ? fmt::format("% {}\n\\begin{{align*}}\n", title)
                        : fmt::format("\n{}:\n", title);
        const std::size_t shown = latex_ ? count : std::min(count, most_lines_);
        for (std::size_t i = 0; i < shown; ++i) line(i);
        if (count > shown)
            text_ += fmt::format("  ... and {} more (--all shows them)\n", count - shown);
        if (latex_) text_ += "\\end{align*}\n";
    }

    void equation(const Lines& left, const Lines& right, const char* indent = "  ") {
        if (!latex_) {
            text_ += fmt::format("{}{} = {}\n", indent, left[0], right[0]);
            return;
        }
        const bool long_left =
            left.size() >
            1;  // then all of it stands to the right of the mark, one line below the other
        if (long_left) text_ += fmt::format("  & {} \\\\\n", left[0]);
        for (std::size_t i = 1; i < left.size(); ++i)
            text_ += fmt::format("  &\\quad {} \\\\\n", left[i]);
        text_ += fmt::format("  {} &{}= {} \\\\\n", long_left ? "" : left[0],
                             long_left ? "\\qquad " : "", right[0]);
        for (std::size_t i = 1; i < right.size(); ++i)
            text_ += fmt::format("  &\\qquad {} \\\\\n", right[i]);
    }

    void relation(const std::string& left, bool at_least, const std::string& right) {
        text_ += latex_ ? fmt::format("  {} &{} {} \\\\\n", left, at_least ? "\\ge" : "\\le", right)
                        : fmt::format("    {} {} {}\n", left, at_least ? ">=" : "<=", right);
    }

    /// Components of c as they are written, and what friction adds to them.
    void nonideal_section() {
        const Model& model = details_.model;
        section("Forces of nonideal constraints, c",
                model.nonideal.size() + model.particle_nonideal.size(),
                [&](std::size_t i) { nonideal_line(i); });
        for (const Friction& friction : model.frictions) {
            const std::string rest =
                friction.at_rest ? fmt::format(", {} at rest", print(*friction.at_rest)) : "";
            const std::string where = friction.particle
                                          ? fmt::format("the relative velocity of '{}'",
                                                        model.particles[*friction.particle].name)
                                          : fmt::format("the slip {}", vector(friction.slip));
            text_ += fmt::format("{}friction at '{}', opposing {}; coefficient {}{}\n",
                                 latex_ ? "% " : "  ", friction.constraint, where,
                                 print(friction.kinetic), rest);
        }
        for (const DryFriction& friction : model.dry_frictions) {
            const std::string rest =
                friction.at_rest
                    ? fmt::format(", {} at rest", vector(expressions(*friction.at_rest)))
                    : "";
            text_ += fmt::format("{}dry friction on '{}' against its velocity, bound {}{}\n",
                                 latex_ ? "% " : "  ", model.coordinates[friction.coordinate].name,
                                 vector(expressions(friction.bound)), rest);
        }
    }

    void nonideal_line(std::size_t i) {
        const Model& model = details_.model;
        if (i < model.nonideal.size()) {
            const Force& c = model.nonideal[i];
            return equation({symbol(fmt::format("c[{}]", model.coordinates[c.coordinate].name))},
                            {vector(expressions(c.value))});
        }
        const ParticleForce& c = model.particle_nonideal[i - model.nonideal.size()];
        const std::string name = fmt::format("c on {}", model.particles[c.particle].name);
        equation({latex_ ? fmt::format("\\text{{{}}}", name) : name},
                 {vector(expressions(c.value))});
    }

    /// Whether an entry or a value fills lines with sines; `--all` and LaTeX write it out.
    bool fills_lines(Expr e) {
        constexpr std::size_t two_lines = 160;  // letters
        const bool in_full = latex_ || most_lines_ == ~std::size_t{0};
        if (in_full) return false;
        const std::string text = print(e);
        return text.size() > two_lines || text.find("...") != std::string::npos;
    }

    /// The joint that a row belongs to; null of the model's own rows.
    const Joint* joint_of(std::size_t row) const {
        for (const Joint& joint : details_.model.joints)
            if (std::find(joint.rows.begin(), joint.rows.end(), row) != joint.rows.end())
                return &joint;
        return nullptr;
    }

    std::string symbol(const std::string& name) const { return latex_ ? latex_name(name) : name; }

    Components expressions(const Formula& formula) {
        return details_.model.forms.expressions(formula, eq_.graph);
    }

    std::string vector(const Components& components) {
        std::string text;
        for (const Expr e : components) text += (text.empty() ? "" : ", ") + print(e);
        return components.size() == 1 ? text : "(" + text + ")";
    }

    Expr combination(const std::map<std::size_t, Expr>& row) {
        std::vector<Arg> terms;
        for (const auto& [j, entry] : row)
            terms.push_back(
                {eq_.graph.mul(tidy(eq_.graph, entry), details_.model.coordinates[j].a), 1.0});
        return eq_.graph.sum(terms);
    }

    void motion_line(std::size_t i) {
        std::vector<Arg> right{{tidy(eq_.graph, eq_.Q[i]), 1.0}};
        for (std::size_t r = 0; r < eq_.A.size(); ++r)
            if (const auto found = eq_.A[r].find(i); found != eq_.A[r].end()) {
                Expr entry = tidy(eq_.graph, found->second);
                if (joint_of(r) != nullptr && fills_lines(entry))
                    entry = eq_.graph.symbol(fmt::format("A[{}, {}]", details_.constraint_names[r],
                                                         details_.coordinate_names[i]));
                right.push_back({eq_.graph.mul(entry, eq_.multipliers[r]), 1.0});
            }
        if (eq_.c[i]) right.push_back({*eq_.c[i], 1.0});
        for (std::size_t k = 0; k < eq_.efforts.size(); ++k)
            for (const Actuator::Part& part : details_.model.actuators[k].direction)
                if (part.coordinate == i)
                    right.push_back(
                        {eq_.graph.mul(tidy(eq_.graph, part.value), eq_.efforts[k]), 1.0});
        if (!eq_.recursive.empty() && eq_.recursive[i]) {
            const std::string& name = details_.coordinate_names[i];
            const auto of_bodies = [&](const char* what) {
                return eq_.graph.symbol(fmt::format("{}[{}]", what, name));
            };
            right.push_back({of_bodies("Q"), 1.0});
            const Expr left = eq_.graph.add(of_bodies("Mq''"), combination(eq_.M[i]));
            return equation(lines_as_is(left), lines_as_is(eq_.graph.sum(right)));
        }
        equation(lines_as_is(combination(eq_.M[i])), lines_as_is(eq_.graph.sum(right)));
    }

    void constraint_lines(std::size_t r) {
        const ConstraintRow& row = details_.model.constraints[r];
        const Expr value = details_.model.forms.expression(row.value, eq_.graph);
        const std::string level(name_of(details_.system.levels[r]));
        if (latex_) text_ += fmt::format("  % {} ({} level)\n", row.name, level);
        else text_ += fmt::format("  {} ({} level)\n", row.name, level);
        using Sense = ConstraintRow::Sense;
        const Joint* joint = joint_of(r);
        if (joint != nullptr &&
            (fills_lines(value) || fills_lines(combination(eq_.A[r])) || fills_lines(eq_.b[r]))) {
            if (worded_ != joint)
                text_ += fmt::format("    {}\n    (--all writes it out)\n", rows_in_words(*joint));
            worded_ = joint;
            return;
        }
        if (row.sense != Sense::equal) relation(print(value), row.sense == Sense::at_least, "0");
        else if (details_.system.levels[r] != Level::acceleration)
            equation(lines(value), {"0"}, "    ");
        equation(lines_as_is(combination(eq_.A[r])), lines(eq_.b[r]), "    ");
        if (row.weight)
            text_ += fmt::format("{}weight {} when its force is shared\n", latex_ ? "  % " : "    ",
                                 print(*row.weight));
    }

    /// What is required, as `gain` enters it; the actuators; what their efforts cost. Efforts are
    /// those of least cost.
    void control_sections() {
        const Model& model = details_.model;
        Explanation rows(*details_.servo, latex_,
                         most_lines_);  // the requirements are its last constraints
        section("Requirements, and their rows C q'' = d", model.requirements.size(),
                [&](std::size_t r) {
                    rows.text_.clear();
                    rows.requirement_lines(details_.system.row_count() + r, model.requirements[r]);
                    text_ += rows.text_;
                });
        section("Minimum-cost efforts u", model.actuators.size(),
                [&](std::size_t k) { actuator_lines(k); });
        const char* begin = latex_ ? "% " : "  ";
        for (const Control& control : model.controls) {
            std::vector<std::string> names;
            for (const std::size_t k : control.actuators) names.push_back(model.actuators[k].name);
            text_ += fmt::format("{}'{}' acts by {}{}\n", begin, control.name, quoted_list(names),
                                 control.nearest ? "; if unreachable, least squares" : "");
        }
        for (const EffortWeight& weight : model.effort_weights) {
            std::vector<std::string> names;
            std::string N;
            for (const std::size_t k : weight.actuators) names.push_back(model.actuators[k].name);
            for (const auto& row : weight.N) N += (N.empty() ? "" : ", ") + vector(row);
            text_ += fmt::format("{}cost u^T N u of {}: N = {}\n", begin, quoted_list(names),
                                 weight.N.size() > 1 ? "(" + N + ")" : N);
        }
        if (model.effort_weights.empty())
            text_ += fmt::format("{}cost: Gauss's measure (F u)^T M^-1 (F u)\n", begin);
    }

    void requirement_lines(std::size_t r, const ConstraintRow& row) {
        const Level level = details_.system.levels[r];
        text_ += fmt::format("  {}{} ({} level)\n", latex_ ? "% " : "", row.name, name_of(level));
        const std::string phi = print(details_.model.forms.expression(row.value, eq_.graph));
        using Sense = ConstraintRow::Sense;
        if (row.sense != Sense::equal) relation(phi, row.sense == Sense::at_least, "0");
        else if (level != Level::acceleration) equation({phi}, {"0"}, "    ");
        if (level != Level::acceleration && row.damping) {
            std::vector<Arg> terms;
            const std::size_t order = level == Level::position ? 2 : 1;
            const auto derivative = [&](std::size_t primes) {
                return eq_.graph.symbol("φ" + std::string(primes, '\''));
            };
            terms.push_back({derivative(order), 1.0});
            terms.push_back(
                {eq_.graph.mul(tidy(eq_.graph, *row.damping), derivative(order - 1)), 1.0});
            if (row.stiffness && order == 2)
                terms.push_back(
                    {eq_.graph.mul(tidy(eq_.graph, *row.stiffness), derivative(0)), 1.0});
            equation({as_it_is(eq_.graph.sum(terms))}, {"0"}, "    ");
        }
        equation({as_it_is(combination(eq_.A[r]))}, {print(eq_.b[r])}, "    ");
    }

    void actuator_lines(std::size_t k) {
        const Actuator& actuator = details_.model.actuators[k];
        for (const Actuator::Part& part : actuator.direction)
            equation({symbol(fmt::format("Q[{}]", details_.coordinate_names[part.coordinate]))},
                     {as_it_is(eq_.graph.mul(tidy(eq_.graph, part.value), eq_.efforts[k]))});
        if (actuator.low) relation(as_it_is(eq_.efforts[k]), true, print(*actuator.low));
        if (actuator.high) relation(as_it_is(eq_.efforts[k]), false, print(*actuator.high));
    }

    const Joint* worded_ = nullptr;  // the last one whose rows stand in words
    const DerivedModel& details_;
    SymbolicEquations eq_;
    bool latex_;
    std::size_t most_lines_;
    LatexLines writer_;
    std::string text_;
};

}  // namespace

std::string explain(const DerivedModel& details, bool latex, std::size_t most_lines) {
    return Explanation(details, latex, most_lines).run();
}

}  // namespace lacon::mechanics
