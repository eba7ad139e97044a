// The laws at the rows of a run, by the oracle's M, Q, A, b and the engine's accelerations and
// multipliers: gaps, pushes, complementarity, Newton's law with friction within its cone and
// against the slip, energy, momentum.

#include <algorithm>
#include <cmath>

#include "hunt/contact_run.hpp"

namespace hunt {
namespace {

// Of the largest force: multipliers are computed from states that are right to the tolerance.
constexpr double part = 1e-6;
constexpr double sliding = 1e-4;  // a speed above it is sliding in any case

class Laws {
public:
    Laws(const Case& one, const ContactRun& run)
        : model_(one.model), run_(run), equations_(model_) {
        slack_ = 100.0 * std::max(one.plan.tolerance, 1e-12);
        const bool struck = !run.events.empty() && run.events[0].kind == "impact" &&
                            run.events[0].t == one.model.begin;
        // The first row is behind an impact at the start.
        keeps_energy_ = model_.conservative && !struck && nothing_drives();
        for (const double q : run.scale_q) length_ = std::max(length_, q);
        for (const auto& row : run.multiplier)
            for (const Real& N : row) force_ = std::max(force_, std::abs(N.nearest()));
    }

    Verdict check() {
        for (std::size_t k = 0; k < run_.rows.size() && verdict_.result == Result::agreed; ++k) {
            equations_.evaluate(run_.rows[k]);
            contacts(k);
            newton(k);
            energy(k);
        }
        if (verdict_.result == Result::agreed) balance();
        return verdict_;
    }

private:
    /// Gaps and slips that are at rest when the mechanism is: what does not slide does no work.
    bool nothing_drives() {
        Point still = run_.rows[0];
        for (Real& v : still.v) v = 0.0;
        equations_.evaluate(still);
        return std::ranges::all_of(equations_.contacts(), [&](std::size_t r) {
            return equations_.equations().rate(r).is_zero() &&
                   (!model_.rows[r].rubs() || equations_.slip(r).is_zero());
        });
    }

    void limit(double off, double allowed, std::size_t k, const std::string& what) {
        if (verdict_.result == Result::failed) return;
        if (off / allowed > verdict_.error) verdict_.error = off / allowed;
        verdict_.allowed = 1.0;
        if (off <= allowed) return;
        verdict_.result = Result::failed;
        verdict_.what = what + " by " + shortest(Dice::rounded(off)) +
                        " at t = " + shortest(run_.rows[k].t.nearest());
    }

    void contacts(std::size_t k) {
        for (const std::size_t r : equations_.contacts()) {
            if (!model_.rows[r].one_sided) continue;
            const double gap = equations_.equations().residual(r).nearest(),
                         N = run_.multiplier[k][r].nearest();
            limit(-gap, slack_ * length_, k, model_.rows[r].name + " is broken");
            limit(-N, part * force_, k, model_.rows[r].name + " pulls");
            if (gap > 1e-3 * length_)
                limit(std::abs(N), 1e-12 * force_, k, model_.rows[r].name + " is open and pushes");
        }
    }

    /// Σ T w = M q'' − Q − Σ N n: the forces of friction, by least squares, and what is left.
    void newton(std::size_t k) {
        const Equations& at = equations_.equations();
        const std::size_t n = at.n();
        Reals left;
        for (std::size_t i = 0; i < n; ++i) {
            Real sum = -at.Q(i);
            for (std::size_t j = 0; j < n; ++j) sum.give(at.M(i, j), run_.a[k][j]);
            for (std::size_t r = 0; r < at.m(); ++r) sum.take(run_.multiplier[k][r], at.A(r, i));
            left.push_back(sum);
        }
        std::vector<std::size_t> rows;
        for (const std::size_t r : equations_.contacts())
            if (model_.rows[r].rubs() && abs(run_.multiplier[k][r]) > 1e-9 * force_)
                rows.push_back(r);
        Square K(rows.size());
        Reals right(rows.size(), Real(0.0));
        for (std::size_t a = 0; a < rows.size(); ++a)
            for (std::size_t i = 0; i < n; ++i) {
                right[a].give(equations_.tangent(rows[a], i), left[i]);
                for (std::size_t b = 0; b < rows.size(); ++b)
                    K(a, b).give(equations_.tangent(rows[a], i), equations_.tangent(rows[b], i));
            }
        double weakest = 1.0;
        const auto T = rows.empty() ? std::optional<Reals>(Reals{}) : solve(K, right, &weakest);
        if (!T || weakest < 1e-6) return;  // shares of friction that are not unique
        for (std::size_t a = 0; a < rows.size(); ++a) {
            for (std::size_t i = 0; i < n; ++i)
                left[i].take((*T)[a], equations_.tangent(rows[a], i));
            friction(k, rows[a], (*T)[a].nearest());
        }
        for (std::size_t i = 0; i < n; ++i)
            limit(abs(left[i]).nearest(), part * force_, k,
                  "M q'' = Q + forces is off in " + model_.names[i]);
    }

    void friction(std::size_t k, std::size_t r, double T) {
        const Model::Row& row = model_.rows[r];
        const double load = (abs(run_.multiplier[k][r]) * equations_.press(r)).nearest(),
                     s = equations_.slip(r).nearest();
        limit(std::abs(T) - std::max(row.friction, row.at_rest) * load, part * force_, k,
              "friction of " + row.name + " leaves its cone");
        if (std::abs(s) > sliding)
            limit(std::abs(T + row.friction * load * (s > 0.0 ? 1.0 : -1.0)), part * force_, k,
                  "friction of " + row.name + " is not against its slip");
    }

    /// Nothing here gives energy but Newton's law of restitution with friction (Kane's paradox),
    /// which the engine reports.
    void energy(std::size_t k) {
        Tape tape(*model_.tree, model_.conserved, model_.tables);
        tape.evaluate(run_.rows[k]);
        for (std::size_t c = 0; c < model_.conserved.size(); ++c) {
            if (k == 0) first_.push_back(tape[c]);
            limit(abs(tape[c] - first_[c]).nearest(), 1e3 * slack_ * length_, k,
                  "momentum changes");
        }
        const Real now = equations_.equations().energy();
        if (k == 0) begin_ = last_ = now;
        scale_ = std::max({scale_, std::abs(now.nearest()), std::abs((now - begin_).nearest())});
        if (keeps_energy_ && run_.gained == 0.0)
            limit((now - last_).nearest(), 10.0 * slack_ * scale_, k, "energy grows");
        last_ = now;
    }
    void balance() {
        if (!keeps_energy_) return;
        limit(std::abs((begin_ - last_ - run_.lost).nearest()), 1e3 * slack_ * scale_,
              run_.rows.size() - 1,
              "energy and what is lost (" + shortest(run_.lost) + ") are off");
    }

    const Model& model_;
    const ContactRun& run_;
    ContactEquations equations_;
    Verdict verdict_;
    bool keeps_energy_ = false;
    double slack_ = 0.0, length_ = 1.0, force_ = 1.0, scale_ = 1.0;
    Real begin_, last_;
    Reals first_;
};

}  // namespace

Verdict check_laws(const Case& one, const ContactRun& run) {
    return Laws(one, run).check();
}

}  // namespace hunt
