// Draws the start state of a model: the plane as it is, space from the page's home view without
// perspective. It is a small picture, so shapes are outlines.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "live/gallery.hpp"
#include "live/live_run.hpp"
#include "page/template.hpp"
#include "runs.hpp"
#include "scene/scene.hpp"

namespace lacon::inline live {

namespace {

using Vector = std::array<double, 3>;
using Flat = std::array<double, 2>;
using Clock = std::chrono::steady_clock;

constexpr double width = 240.0, height = 160.0, margin = 22.0;
constexpr std::size_t most_items = 3000;
constexpr std::size_t most_beads = 8;
constexpr std::size_t most_trails = 6, most_rows = 600, most_moved = 300;  // the last: coordinates
constexpr std::chrono::milliseconds time_to_move{500};

double dot(const Vector& a, const Vector& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// What is drawn, in the picture's own plane; it becomes text when its size is known.
struct Stroke {
    enum class Kind { point, line, spring, circle, text, ground };
    Kind kind = Kind::line;
    std::string name, color;  // a class of the style, a colour of the model
    std::vector<Flat> at;
    double radius = 0.0;
    std::string words = {};
};

class Picture {
public:
    explicit Picture(const std::shared_ptr<const DerivedModel>& details)
        : scene_(make_scene(*details)), channels_(*details, scene_), numbers_(channels_.count()) {
        const Start start = find_start(*details, {}, {});
        if (!start.status) throw LiveError(start.status.message);
        state_ = start.state;
        channels_.at(state_, numbers_);
        choose_axes();
        add_trails(details);
        for (std::size_t i = 0; i < std::min(most_items, scene_.items.size()); ++i)
            add(scene_.items[i]);
        for (std::size_t i = 0; i < std::min(most_items, scene_.bodies.size()); ++i)
            add(scene_.bodies[i]);
        if (strokes_.empty()) add_beads();
        // Points lie above lines, as the page shows them.
        std::stable_partition(strokes_.begin(), strokes_.end(), [](const Stroke& stroke) {
            return stroke.kind != Stroke::Kind::point && stroke.kind != Stroke::Kind::text;
        });
    }

    std::string svg() {
        fit();
        std::string text = fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\">", width,
            height);
        for (const Stroke& stroke : strokes_) text += svg_of(stroke);
        return text + "</svg>";
    }

private:
    /// As the page's home view (web/src/stage.ts): z up unless gravity is along y.
    void choose_axes() {
        const bool y_up = scene_.gravity[1] != 0.0 && scene_.gravity[2] == 0.0;
        if (scene_.planar) return;
        constexpr double c = 0.876, s = 0.482;         // of the angle about the vertical, atan 0.55
        constexpr double rise = 0.345, level = 0.939;  // of the angle above the ground
        right_ = y_up ? Vector{c, 0, -s} : Vector{c, s, 0};
        up_ = y_up ? Vector{-rise * s, level, -rise * c} : Vector{-rise * s, rise * c, level};
    }

    Vector place(const Spot& spot) const {
        return {numbers_[spot[0]], numbers_[spot[1]], numbers_[spot[2]]};
    }
    Flat flat(const Vector& v) const { return {dot(right_, v), dot(up_, v)}; }

    /// Where points go: those with a trail, or the particles, or the bodies, where they are few.
    void add_trails(const std::shared_ptr<const DerivedModel>& details) {
        const std::vector<Spot> spots = followed();
        if (spots.empty() || details->coordinate_names.size() > most_moved) return;
        const auto end = Clock::now() + time_to_move;
        LiveMotion motion;
        try {
            motion =
                moved(details, {.quick = true}, {}, [end](double) { return Clock::now() < end; });
        } catch (const std::invalid_argument&) {
            return;  // without a time span it stands still
        }
        const auto& columns = motion.rows.columns;
        if (columns.empty() || columns[0].size() < 2) return;
        const std::size_t n = state_.q.size(), rows = columns[0].size();
        const std::size_t stride = rows / most_rows + 1;
        std::vector<Stroke> trails(spots.size(), {Stroke::Kind::line, "trail", "", {}});
        State at = state_;
        std::vector<double> numbers(numbers_.size());
        for (std::size_t row = 0; row < rows; row += stride) {
            at.t = columns[0][row];
            for (std::size_t i = 0; i < n; ++i) {
                at.q[i] = columns[1 + i][row];
                at.v[i] = columns[1 + n + i][row];
            }
            channels_.at(at, numbers);
            for (std::size_t k = 0; k < spots.size(); ++k) {
                const Spot& spot = spots[k];
                trails[k].at.push_back(
                    flat({numbers[spot[0]], numbers[spot[1]], numbers[spot[2]]}));
            }
        }
        for (Stroke& trail : trails) strokes_.push_back(std::move(trail));
    }

    std::vector<Spot> followed() const {
        std::vector<Spot> asked, particles, bodies;
        for (const SceneItem& item : scene_.items) {
            if (item.trail) asked.push_back(item.places[0]);
            if (item.particle) particles.push_back(item.places[0]);
        }
        for (const SceneBody& body : scene_.bodies)
            if (!body.name.empty()) bodies.push_back(body.place);
        for (const std::vector<Spot>& spots : {asked, particles, bodies})
            if (!spots.empty() && spots.size() <= most_trails) return spots;
        return {};
    }

    void add(const SceneItem& item) {
        using Kind = SceneItem::Kind;
        std::vector<Flat> at;
        for (const Spot& spot : item.places) at.push_back(flat(place(spot)));
        Stroke stroke{Stroke::Kind::line, std::string(name_of(item.kind)), item.color, at};
        if (item.kind == Kind::point) {
            stroke.kind = Stroke::Kind::point;
            if (!item.particle) stroke.name = "place";
        } else if (item.kind == Kind::spring) {
            stroke.kind = Stroke::Kind::spring;
        } else if (item.kind == Kind::circle) {
            stroke.kind = Stroke::Kind::circle;
            stroke.radius = numbers_[*item.radius];
        } else if (item.kind == Kind::text) {
            stroke.kind = Stroke::Kind::text;
            stroke.words = item.name;
        } else if (item.kind == Kind::floor) {
            if (!scene_.planar) return;
            stroke.kind = Stroke::Kind::ground;
        }
        strokes_.push_back(std::move(stroke));
    }

    /// Edges of boxes, the outline of round shapes; a body without shapes is a stick.
    void add(const SceneBody& body) {
        const Vector at = place(body.place);
        const auto world = [&](const Vector& local) {
            Vector v = at;
            for (std::size_t k = 0; k < 3; ++k)
                for (std::size_t j = 0; j < 3; ++j) v[k] += numbers_[body.R[3 * k + j]] * local[j];
            return v;
        };
        if (body.shapes.empty() && !body.name.empty()) {
            const Flat from = flat(at), to = flat(world(body.center));
            strokes_.push_back({Stroke::Kind::line, "rod", "", {from, to}});
            strokes_.push_back({Stroke::Kind::point, "body", "", {to}});
        }
        for (const SceneShape& shape : body.shapes) {
            const auto own = [&](const Vector& p) {
                Vector v = shape.place;
                for (std::size_t k = 0; k < 3; ++k)
                    for (std::size_t j = 0; j < 3; ++j) v[k] += shape.R[3 * k + j] * p[j];
                return flat(world(v));
            };
            add(shape, own);
        }
    }

    template <class Own>
    void add(const SceneShape& shape, const Own& own) {
        using Kind = shape::Kind;
        const auto size = [&](std::size_t k) {
            return k < shape.sizes.size() ? shape.sizes[k] : 0;
        };
        if (shape.kind == Kind::box || shape.kind == Kind::rectangle) {
            const auto corner = [&](unsigned i) {
                return own({((i & 1U) - 0.5) * size(0), (((i >> 1U) & 1U) - 0.5) * size(1),
                            (((i >> 2U) & 1U) - 0.5) * size(2)});
            };
            for (unsigned i = 0; i < 8; ++i)
                for (const unsigned bit : {1U, 2U, 4U})
                    if (!(i & bit)) add_line("body", {corner(i), corner(i | bit)});
        } else if (shape.kind == Kind::capsule || shape.kind == Kind::cylinder) {
            const double half = 0.5 * size(1);
            add_ring(size(0), half, own);
            add_ring(size(0), -half, own);
            for (const double side : {-1.0, 1.0})
                for (const bool along_x : {true, false}) {
                    const double x = along_x ? side * size(0) : 0.0;
                    const double y = along_x ? 0.0 : side * size(0);
                    add_line("body", {own({x, y, half}), own({x, y, -half})});
                }
        } else if (shape.mesh != nullptr) {
            add_mesh(shape, own);
        } else if (size(0) > 0.0 && shape.kind != Kind::plane && shape.kind != Kind::line) {
            const Flat middle = own({0, 0, 0});
            if (shape.kind == Kind::disk) add_ring(size(0), 0.0, own);
            else strokes_.push_back({Stroke::Kind::circle, "body", "", {middle}, size(0)});
            add_line("body", {middle, own({size(0), 0, 0})});
        } else if (shape.kind == Kind::line) {
            const Flat a = own({-1, 0, 0}), b = own({1, 0, 0});
            const Flat middle{(a[0] + b[0]) / 2, (a[1] + b[1]) / 2};
            const Flat normal{-(b[1] - a[1]) / 2, (b[0] - a[0]) / 2};
            strokes_.push_back({Stroke::Kind::ground, "floor", "", {middle, normal}});
        }
    }

    template <class Own>
    void add_ring(double radius, double z, const Own& own) {
        constexpr int corners = 28;
        std::vector<Flat> ring;
        for (int i = 0; i <= corners; ++i) {
            const double angle = 2.0 * std::acos(-1.0) * i / corners;
            ring.push_back(own({radius * std::cos(angle), radius * std::sin(angle), z}));
        }
        add_line("body", ring);
    }

    template <class Own>
    void add_mesh(const SceneShape& shape, const Own& own) {
        constexpr std::size_t most_triangles = 300;
        const auto corner = [&](std::uint32_t number) {
            Vector v = shape.mesh->points[number];
            for (std::size_t k = 0; k < 3; ++k) v[k] *= shape.scale[k];
            return own(v);
        };
        const std::size_t stride = shape.mesh->triangles.size() / most_triangles + 1;
        for (std::size_t i = 0; i < shape.mesh->triangles.size(); i += stride) {
            const auto& [a, b, c] = shape.mesh->triangles[i];
            add_line("body", {corner(a), corner(b), corner(c), corner(a)});
        }
    }

    void add_line(const std::string& name, std::vector<Flat> at) {
        strokes_.push_back({Stroke::Kind::line, name, "", std::move(at)});
    }

    /// Nothing has a place: coordinates are beads on lines, as the page shows them.
    void add_beads() {
        const std::size_t count = std::min(most_beads, state_.q.size());
        for (std::size_t i = 0; i < count; ++i) {
            const double y = -static_cast<double>(i) * 0.5;
            add_line("rod", {{-1, y}, {1, y}});
            strokes_.push_back({Stroke::Kind::point, "point", "", {{0, y}}});
        }
    }

    /// Everything but what has no end fits into the picture.
    void fit() {
        Flat low{INFINITY, INFINITY}, high{-INFINITY, -INFINITY};
        for (const Stroke& stroke : strokes_) {
            const std::size_t count = stroke.kind == Stroke::Kind::ground ? 1 : stroke.at.size();
            for (std::size_t i = 0; i < count; ++i)
                for (std::size_t k = 0; k < 2; ++k) {
                    low[k] = std::min(low[k], stroke.at[i][k] - stroke.radius);
                    high[k] = std::max(high[k], stroke.at[i][k] + stroke.radius);
                }
        }
        if (!std::isfinite(high[0] - low[0] + high[1] - low[1])) {
            low = {-1, -1};
            high = {1, 1};
        }
        middle_ = {(low[0] + high[0]) / 2, (low[1] + high[1]) / 2};
        const double wide = high[0] - low[0], tall = high[1] - low[1];
        scale_ = std::min(wide > 0.0 ? (width - 2 * margin) / wide : INFINITY,
                          tall > 0.0 ? (height - 2 * margin) / tall : INFINITY);
        if (!std::isfinite(scale_)) scale_ = 40.0;
    }

    Flat screen(const Flat& v) const {
        return {width / 2 + scale_ * (v[0] - middle_[0]),
                height / 2 - scale_ * (v[1] - middle_[1])};
    }

    std::string svg_of(const Stroke& stroke) const {
        const std::string look = fmt::format(
            "class=\"{}\"{}", stroke.name,
            stroke.color.empty() ? "" : fmt::format(" style=\"--own: {}\"", stroke.color));
        const Flat at = screen(stroke.at.at(0));
        switch (stroke.kind) {
            case Stroke::Kind::point:
                return fmt::format("<circle {} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\"/>", look, at[0],
                                   at[1], strokes_.size() > 200 ? 1.2 : 4.5);
            case Stroke::Kind::circle:
                return fmt::format("<circle {} cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\"/>", look,
                                   at[0], at[1], std::abs(stroke.radius) * scale_);
            case Stroke::Kind::text:
                return fmt::format("<text {} x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", look, at[0],
                                   at[1], escaped(stroke.words));
            case Stroke::Kind::ground: {
                const double size = std::hypot(stroke.at[1][0], stroke.at[1][1]);
                const Flat along{stroke.at[1][1] / size, -stroke.at[1][0] / size};
                constexpr double far = 400.0;  // pixels: out of the picture
                return path(look, {{at[0] - far * along[0], at[1] + far * along[1]},
                                   {at[0] + far * along[0], at[1] - far * along[1]}});
            }
            default: break;
        }
        std::vector<Flat> corners;
        for (const Flat& corner : stroke.at) corners.push_back(screen(corner));
        if (stroke.kind == Stroke::Kind::spring && corners.size() == 2)
            corners = coiled(corners[0], corners[1]);
        return path(look, corners);
    }

    static std::vector<Flat> coiled(const Flat& a, const Flat& b) {
        constexpr int turns = 7;
        constexpr double half = 4.0;  // pixels
        const double x = b[0] - a[0], y = b[1] - a[1], size = std::hypot(x, y);
        if (!(size > 0.0)) return {a, b};
        std::vector<Flat> corners{a};
        for (int i = 1; i < 2 * turns; ++i) {
            const double along = i / (2.0 * turns), side = i % 2 ? half : -half;
            corners.push_back(
                {a[0] + along * x - side * y / size, a[1] + along * y + side * x / size});
        }
        corners.push_back(b);
        return corners;
    }

    static std::string path(const std::string& look, const std::vector<Flat>& corners) {
        std::string points;
        for (const Flat& corner : corners)
            points += fmt::format("{:.1f},{:.1f} ", corner[0], corner[1]);
        return fmt::format("<polyline {} points=\"{}\"/>", look, points);
    }

    Scene scene_;
    SceneValues channels_;
    std::vector<double> numbers_;
    State state_;
    Vector right_{1, 0, 0}, up_{0, 1, 0};
    std::vector<Stroke> strokes_;
    Flat middle_{};
    double scale_ = 1.0;
};

}  // namespace

std::string picture_of(const std::shared_ptr<const DerivedModel>& details) {
    return Picture(details).svg();
}

}  // namespace lacon::live
