#include "mechanics/explain.hpp"

#include <fmt/format.h>

#include "base/text.hpp"
#include "expr/print.hpp"
#include "expr/tidy.hpp"

namespace lacon {

namespace {

class Explanation {
public:
    Explanation(const SystemDetails& details, bool latex, std::size_t most_lines)
        : details_(details), eq_(symbolic_equations(details)), latex_(latex), most_lines_(most_lines) {
        for (const std::string& name : details.constraint_names)
            multipliers_.push_back(eq_.graph.symbol(fmt::format("λ[{}]", name)));
    }

    std::string run() {
        const std::size_t n = details_.system.coordinate_count, m = details_.system.row_count();
        text_ = latex_ ? fmt::format("% {}\n", details_.name)
                       : fmt::format("{}\n{}, {}\n", details_.name, counted(n, "coordinate"), counted(m, "constraint row"));
        section(m ? "Equations of motion, M q'' = Q + A^T λ" : "Equations of motion, M q'' = Q", n,
                [&](std::size_t i) { motion_line(i); });
        if (m) section("Constraints, and the rows A q'' = b they give", m, [&](std::size_t r) { constraint_lines(r); });
        if (eq_.explicit_acceleration)
            section("Accelerations, explicitly", n,
                    [&](std::size_t i) { equation(acceleration(i), print((*eq_.explicit_acceleration)[i])); });
        return text_;
    }

private:
    std::string as_it_is(Expr e) const { return latex_ ? to_latex(eq_.graph, e) : to_text(eq_.graph, e); }
    std::string print(Expr e) { return as_it_is(tidy(eq_.graph, e)); }

    std::string acceleration(std::size_t i) const { return as_it_is(details_.model.coordinates[i].a); }

    template <class Line>
    void section(const std::string& title, std::size_t count, const Line& line) {
        text_ += latex_ ? fmt::format("% {}\n\\begin{{align*}}\n", title) : fmt::format("\n{}:\n", title);
        for (std::size_t i = 0; i < std::min(count, most_lines_); ++i) line(i);
        if (count > most_lines_) text_ += fmt::format("{}  ... and {} more\n", latex_ ? "%" : "", count - most_lines_);
        if (latex_) text_ += "\\end{align*}\n";
    }

    void equation(const std::string& left, const std::string& right, const char* indent = "  ") {
        text_ += latex_ ? fmt::format("  {} &= {} \\\\\n", left, right) : fmt::format("{}{} = {}\n", indent, left, right);
    }

    Expr combination(const std::map<std::size_t, Expr>& row) {
        std::vector<Arg> terms;
        for (const auto& [j, entry] : row)
            terms.push_back({eq_.graph.mul(tidy(eq_.graph, entry), details_.model.coordinates[j].a), 1.0});
        return eq_.graph.sum(terms);
    }

    void motion_line(std::size_t i) {
        std::vector<Arg> right{{tidy(eq_.graph, eq_.Q[i]), 1.0}};
        for (std::size_t r = 0; r < eq_.A.size(); ++r)
            if (const auto found = eq_.A[r].find(i); found != eq_.A[r].end())
                right.push_back({eq_.graph.mul(tidy(eq_.graph, found->second), multipliers_[r]), 1.0});
        equation(as_it_is(combination(eq_.M[i])), as_it_is(eq_.graph.sum(right)));
    }

    void constraint_lines(std::size_t r) {
        const ConstraintRow& row = details_.model.constraints[r];
        const std::string phi = print(row.value);
        const std::string level(name_of(details_.system.levels[r]));
        if (latex_) text_ += fmt::format("  % {} ({} level)\n", row.name, level);
        else text_ += fmt::format("  {} ({} level)\n", row.name, level);
        if (details_.system.levels[r] != Level::acceleration) equation(phi, "0", "    ");
        equation(as_it_is(combination(eq_.A[r])), print(eq_.b[r]), "    ");
    }

    const SystemDetails& details_;
    SymbolicEquations eq_;
    bool latex_;
    std::size_t most_lines_;
    std::vector<Expr> multipliers_;
    std::string text_;
};

}  // namespace

std::string explain(const SystemDetails& details, bool latex, std::size_t most_lines) {
    return Explanation(details, latex, most_lines).run();
}

}  // namespace lacon
