// Nearest point on the constraints φ(x) = 0 to the guesses w in the metric of M, as src/motion/nearest.cpp finds it: Gauss–Newton
// onto the constraints, A δ = −φ with the least M-length, then along them. With d = x − w,
//     M δ = −M d + Aᵀ λ,   A δ = 0
// is the part of the way back that stays on the constraints; steps along it have the length of Barzilai and Borwein.
#include "large/start.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "base/text.hpp"
#include "large/decisions.hpp"
#include "large/names.hpp"
#include "motion/verdict.hpp"

namespace lacon {

namespace {

constexpr double met_tol = 1e-11;    // accepted residual, scaled
constexpr double aimed_tol = 1e-15;  // below which nothing can be gained
constexpr double near_tol = 1e-10;   // distance left to the nearest point, relative to the distance moved
constexpr int most_steps = 60;
constexpr int most_walks = 200;

double largest(std::span<const double> x) {
    double size = 0.0;
    for (const double xi : x) size = std::max(size, std::abs(xi));
    return size;
}

/// The search at one level: which rows take part, and which values may move.
class LevelSearch {
public:
    LevelSearch(LargeAssembler& assembler, bool velocity, const StatedStart& start, bool with_stabilized)
        : assembler_(assembler),
          system_(assembler.system()),
          velocity_(velocity),
          fixed_(velocity ? start.fixed_v : start.fixed_q),
          wanted_(velocity ? start.state.v : start.state.q),
          state_(start.state),
          equations_(system_.empty_equations()) {
        const System& system = system_.details.system;
        for (std::size_t r = 0; r < system_.m; ++r) {
            const Level level = system.levels[r];
            const bool takes_part = level == Level::position || (velocity && level == Level::velocity);
            if (takes_part && (with_stabilized || !system.stabilized[r])) rows_.push_back(static_cast<std::uint32_t>(r));
        }
    }

    bool run(const SolveOptions& options) {
        if (!evaluate()) return false;
        size_ = residual_size();
        if (size_ <= aimed_tol || rows_.empty()) return met_ = true;
        collect();
        meet(options);
        if (size_ > met_tol) restart(options);
        if (size_ <= met_tol) approach(options);
        return met_ = size_ <= met_tol;
    }

    /// What kept the search from going on, and the coordinate concerned: indefinite, or ok.
    Outcome outcome() const { return outcome_; }
    std::size_t concerned() const { return concerned_; }

    bool is_velocity() const { return velocity_; }
    bool is_met() const { return met_; }
    bool is_defined() const { return defined_; }
    const std::vector<double>& found() const { return velocity_ ? state_.v : state_.q; }
    const std::vector<std::uint32_t>& rows() const { return rows_; }
    const std::vector<double>& residuals() const { return r_; }

    /// At the best point, the sets of rows that contradict each other: among those left unmet.
    std::vector<DependentSet> conflicts() {
        std::vector<double> wanted(r_.size());
        for (std::size_t i = 0; i < r_.size(); ++i) wanted[i] = -r_[i];
        if (!factor_) return {};
        SolveOptions coarse;
        coarse.rank_tol = 1e-3;  // at the best compromise conflicting rows are parallel, but the point is known only so well
        if (factor_->factor(M_, A_, coarse) != Outcome::ok) return {};
        std::vector<DependentSet> sets = factor_->dependent(wanted, coarse.consistency_tol);
        std::erase_if(sets, [](const DependentSet& set) { return !set.conflict || set.undecided || set.rows.size() < 2; });
        return sets;
    }

    /// At the best point, the sets of rows that the rank tolerance keeps apart, though they differ by less than `near` of their
    /// length: what little they differ in asks for steps much longer than the rest.
    std::vector<DependentSet> nearly_dependent(const SolveOptions& options, double near) {
        if (!factor_ || !factor(options)) return {};
        const std::vector<std::uint32_t> dropped = factor_->dropped();
        SolveOptions coarse = options;
        coarse.rank_tol = near;
        if (!factor(coarse)) return {};
        std::vector<DependentSet> sets = factor_->dependent(std::vector<double>(r_.size(), 0.0), coarse.consistency_tol);
        std::erase_if(sets, [&](const DependentSet& set) {
            return set.rows.size() < 2 || std::any_of(set.rows.begin(), set.rows.end(), [&](std::size_t row) {
                       return std::binary_search(dropped.begin(), dropped.end(), row);
                   });
        });
        return sets;
    }

private:
    std::vector<double>& x() { return velocity_ ? state_.v : state_.q; }

    bool evaluate() {
        assembler_.residuals(state_, residuals_);
        defined_ = !assembler_.not_finite();
        assembler_.equations(state_, equations_);
        defined_ = defined_ && !assembler_.not_finite();
        if (!defined_) return false;
        assembler_.zero_rounding(state_, equations_);
        r_.resize(rows_.size());
        for (std::size_t i = 0; i < rows_.size(); ++i) r_[i] = (velocity_ ? residuals_.velocity : residuals_.value)[rows_[i]];
        return true;
    }

    double residual_size() {
        const double extent = std::max(1e-6, largest(x()));
        const auto A = equations_.A();
        double worst = 0.0;
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            double scale = 0.0;
            for (std::size_t e = system_.rows->begin[rows_[i]]; e < system_.rows->begin[rows_[i] + 1]; ++e)
                scale += std::abs(A[e]) * extent;
            worst = std::max(worst, std::abs(r_[i]) / (scale > 0.0 ? scale : 1.0));
        }
        return worst;
    }

    /// The patterns of M and A over the values that may move.
    void collect() {
        std::vector<std::uint32_t> number(system_.n, 0);
        for (std::size_t j = 0; j < system_.n; ++j) {
            if (fixed_[j]) continue;
            number[j] = static_cast<std::uint32_t>(free_.size());
            free_.push_back(static_cast<std::uint32_t>(j));
        }
        auto mass = std::make_shared<SparsePattern>(), rows = std::make_shared<SparsePattern>();
        mass->rows = mass->cols = rows->cols = free_.size();
        rows->rows = rows_.size();
        const auto take = [&](const SparsePattern& from, std::size_t row, SparsePattern& to, std::vector<std::size_t>& entries) {
            for (std::size_t e = from.begin[row]; e < from.begin[row + 1]; ++e) {
                if (fixed_[from.column[e]]) continue;
                to.column.push_back(number[from.column[e]]);
                entries.push_back(e);
            }
            to.begin.push_back(to.column.size());
        };
        for (const std::uint32_t j : free_) take(*system_.mass, j, *mass, mass_entries_);
        for (const std::uint32_t r : rows_) take(*system_.rows, r, *rows, row_entries_);
        mass_ = mass;
        factor_.emplace(mass_, rows);
    }

    /// A coordinate without a mass that only an upper level holds gets one, for the metric.
    bool factor(const SolveOptions& options) {
        M_.resize(mass_entries_.size());
        A_.resize(row_entries_.size());
        for (std::size_t e = 0; e < M_.size(); ++e) M_[e] = equations_.M()[mass_entries_[e]];
        for (std::size_t e = 0; e < A_.size(); ++e) A_[e] = equations_.A()[row_entries_[e]];
        outcome_ = factor_->factor(M_, A_, options);
        if (outcome_ == Outcome::undetermined) {
            double sum = 0.0;
            for (std::size_t j = 0; j < free_.size(); ++j) sum += M_[mass_->begin[j + 1] - 1];
            const double usual = sum > 0.0 ? sum / static_cast<double>(free_.size()) : 1.0;
            for (std::size_t j = 0; j < free_.size(); ++j) M_[mass_->begin[j + 1] - 1] += usual;
            outcome_ = factor_->factor(M_, A_, options);
        }
        if (outcome_ != Outcome::ok && factor_->concerned() < free_.size()) concerned_ = free_[factor_->concerned()];
        return outcome_ == Outcome::ok;
    }

    /// From a dead end: guesses moved at random, farther and farther.
    void restart(const SolveOptions& options) {
        constexpr int most = 12;
        const std::vector<double> best = x();
        const double best_size = size_, extent = std::max({1e-3, largest(wanted_), largest(best)});
        std::mt19937_64 random(options.seed);
        for (int tries = 0; tries < most && outcome_ == Outcome::ok; ++tries) {
            std::uniform_real_distribution<double> push(-1.0, 1.0);
            const double reach = extent * std::pow(10.0, -3.0 + 3.0 * tries / (most - 1));
            for (const std::uint32_t j : free_) x()[j] = wanted_[j] + reach * push(random);
            if (!evaluate()) continue;
            size_ = residual_size();
            meet(options);
            if (size_ <= met_tol) return;
        }
        x() = best;
        evaluate();
        size_ = best_size;
    }

    /// x += part × step of the free values, from `from`; whether all is defined there.
    bool go(const std::vector<double>& from, const std::vector<double>& step, double part) {
        for (std::size_t j = 0; j < free_.size(); ++j) x()[free_[j]] = from[free_[j]] + part * step[j];
        if (!evaluate()) return false;
        size_ = residual_size();
        return true;
    }

    /// The residuals by the rows' lengths at a point, the same for all trials from there: a measure that changes with x has
    /// minima of its own.
    double measure(const std::vector<double>& lengths) const {
        double square = 0.0;
        for (std::size_t i = 0; i < r_.size(); ++i) square += r_[i] * r_[i] / (lengths[i] * lengths[i]);
        return std::sqrt(square);
    }

    /// Gauss–Newton with halved steps until the residuals are met or no step helps.
    void meet(const SolveOptions& options) {
        std::vector<double> none(free_.size(), 0.0), right(rows_.size()), step(free_.size()), lambda(rows_.size());
        std::vector<double> lengths(rows_.size());
        for (int round = 0; round < most_steps && size_ > aimed_tol; ++round) {
            if (!factor(options)) return;
            for (std::size_t i = 0; i < rows_.size(); ++i) {
                right[i] = -r_[i];
                double square = 0.0;
                for (std::size_t e = system_.rows->begin[rows_[i]]; e < system_.rows->begin[rows_[i] + 1]; ++e)
                    square += equations_.A()[e] * equations_.A()[e];
                lengths[i] = square > 0.0 ? std::sqrt(square) : 1.0;
            }
            factor_->solve({M_, A_, 1}, none, right, step, lambda);
            const std::vector<double> before = x();
            const double size_before = size_, now = measure(lengths);
            bool helped = false;
            for (double part = 1.0; part > 1e-6 && !helped; part *= 0.5)
                helped = go(before, step, part) && measure(lengths) < now;
            if (helped) continue;
            x() = before;
            evaluate();
            size_ = size_before;
            return;
        }
    }

    double distance() {
        std::vector<double> d(free_.size());
        for (std::size_t j = 0; j < free_.size(); ++j) d[j] = x()[free_[j]] - wanted_[free_[j]];
        return length(d);
    }
    double inner(const std::vector<double>& a, const std::vector<double>& b) const {
        std::vector<double> Mb(b.size(), 0.0);
        add_symmetric(*mass_, M_, 1.0, b, Mb);
        double sum = 0.0;
        for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * Mb[j];
        return sum;
    }
    double length(const std::vector<double>& d) const { return std::sqrt(std::max(0.0, inner(d, d))); }

    /// Minus the part of the displacement from the wanted point that stays on the constraints. Factors here.
    std::vector<double> way_back(const SolveOptions& options) {
        std::vector<double> d(free_.size()), f(free_.size(), 0.0), right(rows_.size(), 0.0), back(free_.size()),
            lambda(rows_.size());
        if (!factor(options)) return back;
        for (std::size_t j = 0; j < free_.size(); ++j) d[j] = x()[free_[j]] - wanted_[free_[j]];
        add_symmetric(*mass_, M_, -1.0, d, f);
        factor_->solve({M_, A_, 1}, f, right, back, lambda);
        return back;
    }

    void approach(const SolveOptions& options) {
        constexpr std::size_t remembered = 6;
        double part = 1.0;
        std::vector<double> back = way_back(options), best = x();
        double left = length(back), best_distance = distance(), best_left = left;
        std::vector<double> distances{best_distance};
        for (int walk = 0; walk < most_walks && part > 1e-3; ++walk) {
            if (left <= near_tol * distances.back()) break;
            const std::vector<double> from = x();
            const bool defined = go(from, back, part);
            if (defined) meet(options);
            const double worst = *std::max_element(distances.begin(), distances.end());
            if (!defined || size_ > met_tol || distance() > (1.0 + 1e-10) * worst) {
                x() = from;
                part *= 0.5;
                continue;
            }
            std::vector<double> next = way_back(options), step(free_.size()), turned(free_.size());
            for (std::size_t j = 0; j < free_.size(); ++j) {
                step[j] = x()[free_[j]] - from[free_[j]];
                turned[j] = back[j] - next[j];
            }
            const double along = inner(step, turned), squared = inner(step, step);
            part = along > 0.0 ? std::clamp(squared / along, 0.1, 30.0) : 2.0 * part;
            back = std::move(next);
            left = length(back);
            distances.push_back(distance());
            if (distances.size() > remembered) distances.erase(distances.begin());
            const double gain = best_distance - distances.back();
            if (gain > 1e-12 * best_distance || (gain > -1e-12 * best_distance && left < best_left)) {
                best = x();
                best_distance = distances.back();
                best_left = left;
            }
        }
        x() = best;
        evaluate();
        size_ = residual_size();
    }

    LargeAssembler& assembler_;
    const LargeSystem& system_;
    bool velocity_, met_ = false, defined_ = true;
    const std::vector<bool>& fixed_;
    const std::vector<double> wanted_;
    State state_;
    LargeEquations equations_;
    Residuals residuals_;
    std::vector<std::uint32_t> rows_, free_;
    std::vector<std::size_t> mass_entries_, row_entries_;
    std::shared_ptr<const SparsePattern> mass_;
    std::optional<SparseFactor> factor_;
    std::vector<double> M_, A_, r_;
    double size_ = 0.0;
    Outcome outcome_ = Outcome::ok;
    std::size_t concerned_ = 0;
};

/// Of a start that was not found: rows that all but depend on each other, which may be why; empty where there are none.
std::string near_dependence_text(const SystemDetails& details, LevelSearch& best, const SolveOptions& options) {
    constexpr double near = 1e-4;
    const std::vector<DependentSet> sets = best.nearly_dependent(options, near);
    if (sets.empty()) return {};
    std::vector<std::string> names;
    for (const std::size_t i : sets.front().rows) names.push_back(details.constraint_names[best.rows()[i]]);
    return fmt::format("; {}{} differ by less than {} of what they say: --rank-tol {} takes such constraints as dependent",
                       ranges_text(names), sets.size() > 1 ? fmt::format(", and {} more sets,", sets.size() - 1) : "", near,
                       near);
}

Status failure(const SystemDetails& details, LevelSearch& best, const SolveOptions& options, Start& start) {
    const bool velocity = best.is_velocity();
    const char* level = velocity ? "velocity" : "position";
    if (!best.is_defined())
        return {
            Outcome::undefined,
            fmt::format("the {} constraints or their derivatives have no finite value at the start guesses or near them", level),
            {}};
    if (best.outcome() == Outcome::indefinite)
        return {Outcome::indefinite,
                fmt::format("the mass matrix has a negative direction at '{}'", details.coordinate_names[best.concerned()]),
                {details.coordinate_names[best.concerned()]}};
    const std::vector<double>& r = best.residuals();
    std::vector<std::pair<double, std::uint32_t>> unmet;
    for (std::size_t i = 0; i < r.size(); ++i)
        if (std::abs(r[i]) > 1e-6 * largest(r)) unmet.emplace_back(r[i], best.rows()[i]);
    std::string amounts;
    constexpr std::size_t shown = 8;
    for (std::size_t i = 0; i < unmet.size(); ++i) {
        start.unmet.push_back({details.constraint_names[unmet[i].second], unmet[i].first});
        if (i < shown) amounts += fmt::format("{}'{}' by {}", i ? ", " : "", start.unmet.back().name, rounded(unmet[i].first, 4));
    }
    if (unmet.size() > shown) amounts += fmt::format(" and {} more", unmet.size() - shown);

    std::vector<bool> concerned(details.constraint_names.size(), false);
    for (const DependentSet& set : best.conflicts()) {
        start.conflicts.emplace_back();
        for (const std::size_t i : set.rows) {
            concerned[best.rows()[i]] = true;
            start.conflicts.back().push_back(details.constraint_names[best.rows()[i]]);
        }
    }
    Status status{start.conflicts.empty() ? Outcome::no_start : Outcome::conflict, {}, {}};
    if (start.conflicts.empty()) {
        for (const Start::Unmet& one : start.unmet) status.names.push_back(one.name);
        status.message = fmt::format("no start state was found that meets the constraints at {} level; left unmet: {}{}", level,
                                     amounts, near_dependence_text(details, best, options));
        return status;
    }
    std::vector<std::uint32_t> rows;
    for (std::size_t row = 0; row < concerned.size(); ++row)
        if (concerned[row]) {
            rows.push_back(static_cast<std::uint32_t>(row));
            status.names.push_back(details.constraint_names[row]);
        }
    status.message = fmt::format("constraints {} conflict at {} level: no state was found that meets them all; left unmet: {}",
                                 ranges_text(status.names), level, amounts);
    return status;
}

}  // namespace

Start large_start(LargeAssembler& assembler, const std::vector<StartOverride>& overrides, const SolveOptions& options,
                  std::optional<double> begin) {
    const SystemDetails& details = assembler.system().details;
    const StatedStart guessed = stated(details, overrides, begin);
    StatedStart now = guessed;
    Start start;
    start.state = guessed.state;
    LargeDecisions(assembler).settle(guessed.state);  // none of them is about constraints
    const auto& stabilized = details.system.stabilized;
    const bool any_stabilized = std::any_of(stabilized.begin(), stabilized.end(), [](bool s) { return s; });
    for (const bool velocity : {false, true}) {
        LevelSearch search(assembler, velocity, now, true);
        bool met = search.run(options);
        std::vector<double> found = search.found();
        if (!met && any_stabilized) {
            LevelSearch without(assembler, velocity, now, false);
            met = without.run(options);
            if (met) found = without.found();
        }
        (velocity ? now.state.v : now.state.q) = std::move(found);
        if (met) continue;
        start.status = failure(details, search, options, start);
        break;
    }
    start.state = now.state;
    Residuals residuals;
    assembler.residuals(start.state, residuals);
    for (std::size_t r = 0; r < residuals.value.size(); ++r) {
        if (details.system.levels[r] == Level::position)
            start.position_residual = std::max(start.position_residual, std::abs(residuals.value[r]));
        start.velocity_residual = std::max(start.velocity_residual, std::abs(residuals.velocity[r]));
    }
    note_moves(details, guessed.state, start);
    return start;
}

}  // namespace lacon
