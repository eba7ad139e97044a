// The steps of the search for a nearest point.
#pragma once

#include <memory>
#include <optional>
#include <random>

#include "solve/dense/constrained/constrained_factor.hpp"
#include "state/nearest.hpp"
#include "state/start_search.hpp"

namespace lacon::inline state {

/// The searches of `nearest_point` from a single point: onto r(x) = 0, and along it. Only values
/// that are free move.
class NearestSearch {
public:
    NearestSearch(const NearestProblem& problem, const SolveOptions& options);

    /// M and A of the free values at a point, factored; not usable where M leaves coordinates
    /// undetermined.
    struct PointFactor {
        ConstrainedFactor of;
        bool usable = false;
    };
    /// A point with its residuals; `size` is the largest scaled residual, `by_terms` the largest
    /// beside the terms of its own equation.
    struct Point : NearestProblem::Values {
        std::vector<double> x;
        double size = 0.0, by_terms = 0.0;
        bool defined = false;
        mutable std::shared_ptr<PointFactor> factor;  // made when first needed
    };
    Point evaluate(std::vector<double> x) const;

    /// Gauss–Newton with halved steps until the residuals are met or no step helps. Where rows grow
    /// nearly parallel a full step runs away; then directions are dropped, by coarser rank
    /// tolerances, down to the best compromise.
    Point meet(Point p) const;
    /// The same by damped steps, which get round where Gauss–Newton steps run away or lead to a
    /// dead end.
    Point descend(Point p) const;
    /// By either.
    Point search_from(const std::vector<double>& x) const;
    /// Whether a point may take the place of another that meets the residuals.
    static bool meets_as_well(const Point& p, const Point& other);

    /// From a point that meets the residuals towards the nearest one (Walk). Steps have the length
    /// of Barzilai and Borwein, from how the gradient changed over the last one.
    Point approach(Point p, int walks = SearchLimits::most_walks) const;
    double distance(const Point& p) const;  ///< from the wanted point, in the metric of p

    std::vector<double> beside(std::vector<double> x, std::mt19937_64& random, double reach) const;
    /// The larger of the point's coordinates and its displacement: a length to measure a small push
    /// by.
    double extent(const Point& p) const;
    /// What is left of the residuals, by the lengths of the rows at another point.
    double left(const Point& p, const Point& by) const;

private:
    bool vanishes(const Point& p, std::size_t i, double extent) const;
    std::optional<Point> better(const Point& p, double rank_tol) const;
    std::optional<Point> better_by_parts(const Point& p) const;
    template <class At>
    std::optional<Point> better_along(const Point& p, const At& at) const;
    std::vector<double> way_back(const Point& p) const;
    std::vector<double> change(const Point& p, const std::vector<double>& r, double rank_tol) const;
    template <class Find>
    std::vector<double> of_free(const Point& p, const Find& find) const;
    std::vector<double> by_factor(const Point& p, const Matrix& M, const Matrix& A,
                                  const std::vector<double>& r) const;

    const NearestProblem& problem_;
    const SolveOptions& options_;
    std::vector<std::size_t> free_;
};

}  // namespace lacon::state
