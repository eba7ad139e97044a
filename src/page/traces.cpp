// Curves by continuation: a step along the tangent, then back onto the curve. Surfaces by the
// height that a point of them has over each point of a disk, where there is one alone.
#include "page/traces.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "page/trace_values.hpp"

namespace lacon::inline page {

namespace {

using Points = std::vector<TracePoint>;

double distance(const TracePoint& a, const TracePoint& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// Around the motion of a point.
struct Box {
    TracePoint middle{}, half{};
    double size = 0.0;  // the largest extent of the motion

    bool holds(const TracePoint& p) const {
        for (std::size_t k = 0; k < 3; ++k)
            if (std::abs(p[k] - middle[k]) > half[k]) return false;
        return true;
    }
};

class Tracer {
public:
    Tracer(const DerivedModel& details, const Scene& scene, const SceneTrace& trace,
           const PageColumns& columns, const RowStates& rows)
        : values_(details, scene, trace), trace_(trace), columns_(columns), rows_(rows) {
        for (std::size_t k = 0; k < 3; ++k) {
            const auto [low, high] = columns.range(trace.place[k]);
            box_.middle[k] = 0.5 * (double{low} + double{high});
            box_.half[k] = 0.5 * (double{high} - double{low});
            box_.size = std::max(box_.size, 2.0 * box_.half[k]);
        }
        // As wide as tall at the least by half, and a margin for what comes after.
        for (double& half : box_.half) half = std::max(half, 0.25 * box_.size) + 0.2 * box_.size;
    }

    /// Nothing where it cannot be traced.
    std::optional<Trace> made() {
        if (!std::isfinite(box_.size) || !(box_.size > 0.0)) return std::nullopt;
        Trace made;
        made.name = trace_.name;
        made.row = trace_.row;
        made.one_sided = trace_.one_sided;
        made.surface = trace_.freedom() == 2;
        if (made.surface ? !add_surface(made) : !add_curve(made)) return std::nullopt;
        return made;
    }

private:
    static constexpr std::size_t curve_points = 129, moving_points = 65;
    static constexpr std::size_t first_frames = 17, most_frames = 257;
    static constexpr double frame_error = 0.005;  // of the motion: some pixels

    TracePoint place_at(std::size_t taken) const {
        const State state = rows_.at(columns_.row_of(taken));
        TracePoint p = box_.middle;
        for (std::size_t k = 0; k < 3; ++k)
            if (trace_.coordinates[k]) p[k] = state.q[*trace_.coordinates[k]];
        return p;
    }

    // ---- curves

    /// From a point on, until the curve leaves the box or comes back.
    Points half_curve(const TracePoint& from, double t, double direction, bool& closed) {
        constexpr double steps = 150.0;     // over the motion
        constexpr std::size_t most = 3000;  // of one branch
        const double step = box_.size / steps;
        Points points;
        TracePoint at = from, last{};
        for (std::size_t i = 0; i < most && box_.holds(at); ++i) {
            values_.at(at, t);
            TracePoint along = values_.tangent();
            if (i == 0)
                for (double& x : along) x *= direction;
            const double turn = along[0] * last[0] + along[1] * last[1] + along[2] * last[2];
            if (i > 0 && turn < 0.0)
                for (double& x : along) x = -x;
            TracePoint next;
            for (std::size_t k = 0; k < 3; ++k) next[k] = at[k] + step * along[k];
            if (!values_.project(next, t, step)) break;
            const double gone = distance(at, next);
            if (!(gone > 0.1 * step)) break;
            points.push_back(next);
            for (std::size_t k = 0; k < 3; ++k) last[k] = (next[k] - at[k]) / gone;
            at = next;
            if (i > 4 && distance(at, from) < 0.75 * step) {
                closed = true;
                break;
            }
        }
        return points;
    }

    /// Through a point near the curve. Empty where there is none.
    Points curve_at(TracePoint from, double t, bool& closed) {
        closed = false;
        if (!values_.project(from, t, 2.0 * box_.size)) return {};
        Points points = half_curve(from, t, 1.0, closed);
        if (closed) {
            points.insert(points.begin(), from);
            points.back() = from;
            return points;
        }
        Points before = half_curve(from, t, -1.0, closed);
        std::reverse(before.begin(), before.end());
        before.push_back(from);
        before.insert(before.end(), points.begin(), points.end());
        closed = false;
        if (trace_.one_sided) turn_allowed_left(before, t);
        return before;
    }

    /// What is allowed lies to the left.
    void turn_allowed_left(Points& points, double t) {
        if (points.size() < 2) return;
        const std::size_t i = points.size() / 2;
        values_.at(points[i], t);
        const TracePoint g = values_.slope(0);
        const double x = points[i][0] - points[i - 1][0], y = points[i][1] - points[i - 1][1];
        if (g[1] * x - g[0] * y < 0.0) std::reverse(points.begin(), points.end());
    }

    /// So many points at equal distances along it.
    static Points spread(const Points& points, std::size_t count) {
        std::vector<double> gone{0.0};
        for (std::size_t i = 1; i < points.size(); ++i)
            gone.push_back(gone.back() + distance(points[i - 1], points[i]));
        Points even;
        std::size_t at = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const double s = gone.back() * static_cast<double>(i) / static_cast<double>(count - 1);
            while (at + 2 < points.size() && gone[at + 1] < s) ++at;
            const double piece = gone[at + 1] - gone[at];
            const double part = piece > 0.0 ? (s - gone[at]) / piece : 0.0;
            TracePoint p;
            for (std::size_t k = 0; k < 3; ++k)
                p[k] = points[at][k] + part * (points[at + 1][k] - points[at][k]);
            even.push_back(p);
        }
        return even;
    }

    bool add_curve(Trace& made) {
        const auto frame = [&](std::size_t taken) -> Points {
            bool closed = false;
            const Points points = curve_at(place_at(taken), columns_.time(taken), closed);
            made.closed = closed;
            return points.size() < 3
                       ? Points{}
                       : spread(points, values_.moves() ? moving_points : curve_points);
        };
        return add_frames(made, frame);
    }

    // ---- surfaces

    /// The height along `axis` at which a line meets the surface; none, or several: NaN.
    double height(TracePoint p, std::size_t axis, double t) {
        constexpr int samples = 96;
        const double reach = box_.half[axis] + 3.0 * box_.size;
        double last = 0.0, found = std::nan("");
        for (int i = 0; i <= samples; ++i) {
            p[axis] = box_.middle[axis] + reach * (2.0 * i / samples - 1.0);
            values_.at(p, t);
            const double now = values_.value(0);
            if (!std::isfinite(now)) return std::nan("");
            if (i > 0 && (last < 0.0) != (now < 0.0)) {
                if (!std::isnan(found)) return std::nan("");
                found = zero_between(p, axis, t, {p[axis] - 2.0 * reach / samples, p[axis]});
            }
            last = now;
        }
        return found;
    }

    double zero_between(TracePoint p, std::size_t axis, double t, std::array<double, 2> ends) {
        const auto value = [&](double x) {
            p[axis] = x;
            values_.at(p, t);
            return values_.value(0);
        };
        const bool below = value(ends[0]) < 0.0;
        constexpr int halvings = 30;
        for (int i = 0; i < halvings; ++i) {
            const double middle = 0.5 * (ends[0] + ends[1]);
            ((value(middle) < 0.0) == below ? ends[0] : ends[1]) = middle;
        }
        return ends[0];
    }

    /// A disk of rings around the motion, lifted to the surface. Empty where some point of it has
    /// no height, or several.
    Points disk(std::size_t axis, double t, std::size_t rings, std::size_t sectors) {
        const std::size_t u = (axis + 1) % 3, w = (axis + 2) % 3;
        const double radius = 1.1 * std::max(box_.half[u], box_.half[w]);
        Points points;
        for (std::size_t ring = 0; ring <= rings; ++ring)
            for (std::size_t i = 0; i < (ring == 0 ? 1 : sectors); ++i) {
                constexpr double turn = 6.283185307179586;
                const double angle = turn * static_cast<double>(i) / static_cast<double>(sectors);
                const double r = radius * static_cast<double>(ring) / static_cast<double>(rings);
                TracePoint p = box_.middle;
                p[u] += r * std::cos(angle);
                p[w] += r * std::sin(angle);
                p[axis] = height(p, axis, t);
                if (std::isnan(p[axis])) return {};
                points.push_back(p);
            }
        return points;
    }

    static std::vector<std::uint32_t> disk_triangles(std::uint32_t rings, std::uint32_t sectors) {
        std::vector<std::uint32_t> all;
        const auto number = [&](std::uint32_t ring, std::uint32_t i) {
            return ring == 0 ? 0 : 1 + (ring - 1) * sectors + i % sectors;
        };
        for (std::uint32_t ring = 0; ring < rings; ++ring)
            for (std::uint32_t i = 0; i < sectors; ++i) {
                const std::uint32_t a = number(ring, i), b = number(ring, i + 1),
                                    c = number(ring + 1, i), d = number(ring + 1, i + 1);
                all.insert(all.end(), {a, c, d});
                if (ring > 0) all.insert(all.end(), {a, d, b});
            }
        return all;
    }

    bool add_surface(Trace& made) {
        const std::uint32_t rings = values_.moves() ? 8 : 14, sectors = values_.moves() ? 32 : 48;
        for (const std::size_t axis : {std::size_t{2}, std::size_t{1}, std::size_t{0}}) {
            if (disk(axis, columns_.time(0), rings, sectors).empty()) continue;
            made.triangles = disk_triangles(rings, sectors);
            return add_frames(made, [&](std::size_t taken) {
                return disk(axis, columns_.time(taken), rings, sectors);
            });
        }
        return false;
    }

    // ---- frames

    /// As many as it takes for straight lines between them to stay near what is half way.
    template <class Frame>
    bool add_frames(Trace& made, const Frame& frame) {
        std::vector<std::size_t> taken{0};
        std::vector<Points> frames{frame(0)};
        if (frames[0].empty()) return false;
        if (values_.moves()) {
            for (std::size_t count = first_frames;; count = 2 * count - 1) {
                taken = chosen_rows(count);
                frames.clear();
                for (const std::size_t one : taken) frames.push_back(frame(one));
                for (const Points& one : frames)
                    if (one.size() != frames[0].size() || one.empty()) return false;
                if (count >= most_frames || taken.size() < count || is_dense(taken, frames, frame))
                    break;
            }
        }
        put(made, taken, frames);
        return true;
    }

    std::vector<std::size_t> chosen_rows(std::size_t count) const {
        const std::size_t rows = columns_.taken();
        std::vector<std::size_t> all;
        for (std::size_t i = 0; i < count; ++i) {
            const std::size_t row = i * (rows - 1) / (count - 1);
            if (all.empty() || all.back() != row) all.push_back(row);
        }
        return all;
    }

    template <class Frame>
    bool is_dense(const std::vector<std::size_t>& taken, const std::vector<Points>& frames,
                  const Frame& frame) {
        for (std::size_t i = 0; i + 1 < taken.size(); ++i) {
            const std::size_t half = (taken[i] + taken[i + 1]) / 2;
            if (half == taken[i]) continue;
            const Points points = frame(half);
            if (points.size() != frames[i].size()) return false;
            const double a = columns_.time(taken[i]), b = columns_.time(taken[i + 1]);
            const double part = (columns_.time(half) - a) / (b - a);
            for (std::size_t k = 0; k < points.size(); ++k) {
                TracePoint between;
                for (std::size_t c = 0; c < 3; ++c)
                    between[c] = frames[i][k][c] + part * (frames[i + 1][k][c] - frames[i][k][c]);
                if (distance(between, points[k]) > frame_error * box_.size) return false;
            }
        }
        return true;
    }

    void put(Trace& made, const std::vector<std::size_t>& taken,
             const std::vector<Points>& frames) const {
        constexpr double digits = 8191.0;  // over the motion: a tenth of a pixel
        made.unit = box_.size / digits;
        for (std::size_t k = 0; k < 3; ++k) made.low[k] = box_.middle[k];
        for (std::size_t i = 0; i < frames.size(); ++i) {
            made.times.push_back(columns_.time(taken[i]));
            std::vector<std::int32_t>& numbers = made.frames.emplace_back();
            for (const TracePoint& p : frames[i])
                for (std::size_t k = 0; k < 3; ++k)
                    numbers.push_back(
                        static_cast<std::int32_t>(std::lround((p[k] - made.low[k]) / made.unit)));
        }
    }

    TraceValues values_;
    const SceneTrace& trace_;
    const PageColumns& columns_;
    const RowStates& rows_;
    Box box_;
};

}  // namespace

Traces trace(const DerivedModel& details, const Scene& scene, const PageColumns& columns,
             const RowStates& rows) {
    Traces result;
    constexpr std::size_t most = 40;
    for (const SceneTrace& one : scene.traces) {
        if (result.all.size() == most) break;
        if (auto made = Tracer(details, scene, one, columns, rows).made())
            result.all.push_back(std::move(*made));
        else
            result.left_out.push_back(fmt::format(
                "what '{}' holds its point on: it could not be traced around the motion (a curve "
                "is followed from where the point is, a surface is drawn as a height over a disk)",
                one.name));
    }
    return result;
}

}  // namespace lacon::page
