// Singular positions within or ahead of a step (theory 5.3).
#pragma once

#include <optional>
#include <vector>

#include "locate/critical.hpp"
#include "methods/method.hpp"

namespace lacon::inline locate {

/// A singular position within a step: some directions of the constraints depend on the others
/// there.
struct SingularCrossing {
    double tau = 0.0;
    std::size_t rank = 0;            // there
    std::vector<std::size_t> rows;   // that depend on each other there,
    std::vector<DependentSet> sets;  //   and how
    Critical critical;
    /// Whether it is a single row that vanishes.
    bool is_row() const { return sets.size() == 1 && sets[0].rows.size() == 1; }
    std::optional<std::size_t> row() const {
        return is_row() ? std::optional(sets[0].rows[0]) : std::nullopt;
    }
};

/// Looks within a method's last step for positions at which the rank falls. The smallest singular
/// value of the (row-scaled) B is an absolute value: where a simple singular position is passed it
/// has a corner at zero, and uᵀ B w with the singular vectors from before changes its sign; where
/// it is touched, a minimum. A single row may also vanish and come back turned round (a velocity
/// constraint where everything comes to rest); row-scaled B does not show it, its length does.
class SingularSearch {
public:
    explicit SingularSearch(DenseField& field) : field_(field), critical_(field) {}

    /// What a step does to singular positions. Near misses of one within it make it too long: a
    /// step that goes over a turn of the motion, from one course to another, lands on the wrong
    /// one.
    struct Found {
        std::vector<SingularCrossing> passed;
        bool leaps = false;  // over a near miss
    };
    /// `until`: the step's end, `behind`: the factorization there.
    Found search(const Method& method, const Base& base, double until,
                 const DenseProjector& behind);

    /// What is at `tau` of the method's last step, where a direction seems to vanish.
    Critical critical(const Method& method, const Base& base, double tau);

    /// Where a singular position lies ahead, up to twice the method's reach; nothing where none is
    /// seen. A guess, to plan the step by.
    std::optional<double> ahead(const Method& method, const Clock& begin,
                                const DenseProjector& here, double usual);

    /// Whether what looks like a singular position at `tau` of the method's last step is the end of
    /// a drive's reach; `row`: of a single one, which vanishes there.
    bool is_end_of_reach(const Method& method, const Base& base, double tau,
                         std::optional<std::size_t> row = {});

    /// Relative singular value below which a position counts as singular; times and rates leave
    /// about this.
    static constexpr double singular_tol = 1e-7;

private:
    double weakness(double tau);
    double length_of_row(double tau);
    double asked_by(std::size_t row, const State& state);
    struct Lowest {
        double tau = 0.0, depth = 0.0;
        double beside = 0.0;  // the lesser of the values at the step's ends
        bool flips = false;   // the direction comes out with the other sign
    };
    void take_lowest(const Base& base, const Lowest& lowest, Found& found);
    bool flips(double left, double right);
    bool hardly_turns(double until, const DenseProjector& before);
    double lowest(double from, double to, double (SingularSearch::*measure)(double));
    void take_vanishing_row(double from, double until, double most,
                            std::vector<SingularCrossing>& found);
    void search_vanishing_rows(double until, const DenseProjector& before,
                               const DenseProjector& behind, std::vector<SingularCrossing>& found);

    DenseField& field_;
    CriticalSearch critical_;
    const Method* method_ = nullptr;
    Clock begin_;
    std::size_t rank_ = 0, row_ = 0;
    State state_;
    Equations equations_;
    ConstrainedFactor factor_;
    std::vector<double> singular_;  // values where they were looked at last
};

/// What a drive asks of the velocities along the weakest direction of the constraints: |uᵀ ∂φ/∂t|,
/// as A q' = −∂φ/∂t, u the direction's row combination, of unit length for rows of unit length;
/// zero where it is rounding. Where a singular position is passed it vanishes with the direction's
/// reciprocal condition; where a drive comes to the end of its reach it does not, the velocity
/// grows without bound, and beyond there is no state.
double asked_along_weakest(DenseField& field, const ConstrainedFactor& factor, const State& state);

}  // namespace lacon::locate
