// Branch and bound. A heap gives the piece with the largest bound, which is halved along the
// direction in which q'' changes most. Values reached at corners show how tight the bound is.
#include "exists/bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lacon::inline existence {

namespace {

constexpr double unknown = std::numeric_limits<double>::infinity();

/// A piece of the box with what is known of it.
struct Piece {
    Box box;
    std::vector<double> largest;  // |q''_i| (n); empty where nothing is shown
    double bound = unknown;       // the largest of them
    std::size_t cut = 0;          // the direction to halve it along
    std::size_t depth = 0;
    Enclosure::Verdict verdict = Enclosure::Verdict::undefined;
    std::uint32_t origin = 0;

    /// Of what is not known the deepest comes first: it is shown soon, or shows soon that it cannot
    /// be.
    bool operator<(const Piece& other) const {
        if (bound != other.bound) return bound < other.bound;
        return bound == unknown && depth < other.depth;
    }
};

class Search {
public:
    Search(BoxField& field, const Box& box, const BoundOptions& options)
        : field_(field), whole_(box), options_(options) {}

    Bound run() {
        const std::size_t n = field_.n();
        // Velocities have no larger bound than their sides; without a constraint or force, nothing
        // else counts.
        result_.largest.assign(2 * n, 0.0);
        for (std::size_t i = 0; i < n; ++i) {
            result_.largest[i] = whole_.x[n + i].magnitude();
            result_.reached = std::max(result_.reached, result_.largest[i]);
        }
        take({whole_, {}, unknown, 0, 0, {}, 0});
        while (!pieces_.empty()) {
            if (is_enough(pieces_.front().bound)) break;
            if (options_.progress && !options_.progress(result_.boxes, pieces_.front().bound)) {
                result_.stopped = true;
                break;
            }
            const bool known = pieces_.front().bound < unknown;
            if (result_.boxes >= options_.budget) {
                result_.exhausted = true;
                break;
            }
            if (cut_width(pieces_.front()) <= (known ? narrowest : smallest)) break;
            halve();
        }
        finish();
        return result_;
    }

private:
    // Halves smaller than this, relative to the whole, along the direction that matters most show
    // no more: the trouble is real, or too near to tell; or rounding is all that is left.
    static constexpr double smallest = 1.0 / 256, narrowest = 1e-7;

    bool is_enough(double bound) const {
        return bound <= (1.0 + options_.tightness) * result_.reached;
    }

    void take(Piece piece) {
        ++result_.boxes;
        const Enclosure at = field_.over(piece.box);
        piece.verdict = at.verdict;
        piece.origin = at.origin;
        piece.cut = at.steepest;
        if (at.verdict == Enclosure::Verdict::proven) {
            result_.smoothness = std::max(result_.smoothness, at.smoothness);
            piece.bound = 0.0;
            std::size_t highest = 0;
            for (std::size_t i = 0; i < at.acceleration.size(); ++i) {
                piece.largest.push_back(at.acceleration[i].magnitude());
                if (piece.largest[i] > piece.bound) {
                    piece.bound = piece.largest[i];
                    highest = i;
                }
            }
            if (!is_enough(piece.bound) && at.slope.rows > 0) {
                piece.cut = steepest(at, highest, piece.box);
                look_at(corner(at, highest, piece.box));
            }
        }
        if (piece.box.width(piece.cut) == 0.0 || at.slope.rows == 0) piece.cut = usable(piece);
        pieces_.push_back(std::move(piece));
        std::push_heap(pieces_.begin(), pieces_.end());
    }

    /// The direction asked for, or the widest where that one cannot be halved.
    std::size_t usable(const Piece& piece) const {
        if (piece.box.width(piece.cut) > 0.0 && piece.bound == unknown) return piece.cut;
        std::size_t widest = 0;
        for (std::size_t d = 1; d < whole_.x.size(); ++d)
            if (relative(piece.box, d) > relative(piece.box, widest)) widest = d;
        return widest;
    }
    double cut_width(const Piece& piece) const { return relative(piece.box, piece.cut); }
    double relative(const Box& box, std::size_t d) const {
        return whole_.width(d) > 0.0 ? box.width(d) / whole_.width(d) : 0.0;
    }

    static std::size_t steepest(const Enclosure& at, std::size_t i, const Box& box) {
        std::size_t best = 0;
        double most = -1.0;
        for (std::size_t d = 0; d < box.x.size(); ++d) {
            if (box.width(d) == 0.0) continue;
            const double by =
                at.slope(i, d).is_defined() ? at.slope(i, d).magnitude() * box.width(d) : unknown;
            if (by > most) {
                most = by;
                best = d;
            }
        }
        return best;
    }

    /// Where |q''_i| is likely the largest.
    static Box corner(const Enclosure& at, std::size_t i, const Box& box) {
        const double side = at.acceleration[i].mid() < 0.0 ? -1.0 : 1.0;
        Box point;
        for (std::size_t d = 0; d < box.x.size(); ++d) {
            const double slope = at.slope(i, d).is_defined() ? side * at.slope(i, d).mid() : 0.0;
            point.x.emplace_back(slope > 0.0   ? box.x[d].high
                                 : slope < 0.0 ? box.x[d].low
                                               : box.x[d].mid());
        }
        return point;
    }

    void look_at(const Box& point) {
        const auto values = field_.at(point);
        if (!values) return;
        for (const Interval& a : *values)
            result_.reached = std::max({result_.reached, a.low, -a.high});
    }

    void halve() {
        std::pop_heap(pieces_.begin(), pieces_.end());
        const Piece piece = std::move(pieces_.back());
        pieces_.pop_back();
        const Interval side = piece.box.x[piece.cut];
        const double middle = side.mid();
        for (const Interval& half : {Interval(side.low, middle), Interval(middle, side.high)}) {
            Piece part{piece.box, {}, unknown, piece.cut, piece.depth + 1, {}, 0};
            part.box.x[piece.cut] = half;
            take(std::move(part));
        }
    }

    void finish() {
        const Piece& worst = pieces_.front();
        result_.proven = worst.bound < unknown && !result_.stopped;
        if (worst.bound == unknown) {
            result_.trouble = worst.verdict;
            result_.origin = worst.origin;
            result_.where = worst.box.middle();
            result_.across = cut_width(worst);
            return;
        }
        const std::size_t n = field_.n();
        for (const Piece& piece : pieces_)
            for (std::size_t i = 0; i < n; ++i)
                result_.largest[n + i] = std::max(result_.largest[n + i], piece.largest[i]);
        result_.mu = *std::max_element(result_.largest.begin(), result_.largest.end());
    }

    BoxField& field_;
    const Box& whole_;
    const BoundOptions& options_;
    Bound result_;
    std::vector<Piece> pieces_;  // a heap
};

}  // namespace

Bound bound_over(BoxField& field, const Box& box, const BoundOptions& options) {
    return Search(field, box, options).run();
}

}  // namespace lacon::existence
