// Limits on the step from everything that depends on time alone.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "expr/feature.hpp"
#include "interval/interval.hpp"
#include "mechanics/system/derived_model.hpp"

namespace lacon::inline locate {

/// What depends on time alone is known for the whole run beforehand: forces, drives, decisions.
/// Interval arithmetic shows on which pieces of time no operand of a feature (expr/feature.hpp)
/// leaves the reach of its ends, and every decision either keeps its side or turns once at most. A
/// step may be some of these pieces long, and no longer: nothing in explicit time is stepped over.
///
/// Pieces are halves of halves of the run, the longest for which this is proven. Where it cannot
/// be, they get as short as 2^-24 of it.
class Calendar {
public:
    /// `order`: of the method.
    Calendar(const DerivedModel& details, double begin, double end, std::size_t order);

    bool is_empty() const { return entries_->empty(); }
    /// How long a step from t may be, `wanted` at most.
    double clear(double t, double wanted);

private:
    /// What is asked of an operand over a piece of time: that it stays within the reach of a
    /// feature; that it keeps its sign or passes zero once; the same of whole numbers, for floor.
    enum class Question : std::uint8_t { feature, sign, whole };
    struct Operand;
    struct Entry {
        Program program;                 // parameters, t → value, and its derivative by t
        std::vector<double> parameters;  // and a place for t
        Question question = Question::feature;
        Feature::Kind kind = Feature::Kind::pole;
        double exponent = 0.0;
    };
    using Entries = std::vector<Entry>;
    static std::vector<Operand> operands_of(Graph& graph, Expr e);
    static std::vector<Operand> operands_in(Graph& graph, std::span<const Expr> roots, Expr t,
                                            std::span<const Expr> parameters);
    static void collect(const DerivedModel& details, Entries& entries);

    struct Piece {
        double begin, end;
    };
    Piece piece_at(double t);
    bool is_plain(const Piece& piece);
    bool is_plain(const Entry& entry, const Piece& piece);
    template <class T>
    void evaluate(const Entry& entry, const T& t, std::vector<T>& found);

    std::shared_ptr<const Entries> entries_;
    double begin_, span_;
    std::size_t order_;
    std::vector<std::uint64_t> failed_;  // of each size of pieces, the last one that was too long
    Piece last_{0.0, 0.0};
};

}  // namespace lacon::locate
