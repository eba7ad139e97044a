// Where bodies stand: the frames along the steps of their joints, as expressions; and their shapes
// with numbers.
#include <array>
#include <cmath>

#include "data/cells.hpp"
#include "scene/channels.hpp"

namespace lacon::inline scene {

namespace {

using StepKind = JointStep::Kind;

/// The numbers of a shape; none where its mesh cannot be read.
std::optional<SceneShape> numbers_of(SceneMaker& maker, const BodyShape& shape,
                                     std::vector<std::string>& left_out) {
    SceneShape result;
    result.kind = shape.kind;
    result.mesh = shape.mesh;
    result.file = shape.file;
    std::vector<double> numbers;
    for (const Expr e : maker.expressions(shape.values)) numbers.push_back(maker.number(e));
    const std::size_t sizes = shape::facts_of(shape.kind).sizes;
    auto at = numbers.begin() +
              static_cast<std::ptrdiff_t>(shape.kind == shape::Kind::mesh ? std::size_t{0} : sizes);
    result.sizes.assign(numbers.begin(), at);
    std::copy_n(at, 3, result.place.begin());
    std::copy_n(at + 3, 9, result.R.begin());
    if (shape.kind != shape::Kind::mesh) return result;
    std::copy_n(at + 12, 3, result.scale.begin());
    if (result.mesh != nullptr) return result;
    constexpr std::uintmax_t most_bytes = std::uintmax_t{64} << 20;
    try {
        const std::filesystem::path model(maker.model.source.name());
        const std::string text = read_data_file({model.parent_path(), shape.file}, most_bytes);
        shape::Triangles read = shape::read_mesh(text, shape.file);
        result.mesh = std::make_shared<const shape::Mesh>(
            shape::Mesh{shape.file, std::move(read.points), std::move(read.triangles), {}, {}, {}});
        return result;
    } catch (const DataError& problem) {
        left_out.emplace_back(problem.what());
    } catch (const shape::MeshError& problem) {
        left_out.emplace_back(problem.what());
    }
    return std::nullopt;
}

/// The last axis about which the joint turns, in the axes of the body: steps behind it do not turn.
void find_axis(const SceneMaker& maker, const Body& body, std::span<const Expr> constants,
               SceneBody& shown) {
    for (const JointStep& step : body.steps) {
        if (step.kind == StepKind::turn || step.kind == StepKind::screw) {
            shown.turns = true;
            for (std::size_t i = 0; i < 3; ++i) shown.axis[i] = maker.number(constants[i]);
        } else if (step.kind == StepKind::rotate || step.kind == StepKind::quaternion) {
            shown.turns = false;
        }
        constants = constants.subspan(constant_count(step.kind));
    }
}

/// Of an ellipsoid with half axes a, b, c: Ixx = m (b² + c²)/5.
void find_ellipsoid(const SceneMaker& maker, std::span<const Expr> inertia, SceneBody& shown) {
    std::array<double, Body::inertia_count> numbers{};
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = maker.number(inertia[i]);
    const double mass = numbers[0];
    const double* const I = numbers.data() + 4;
    if (I[3] != 0.0 || I[4] != 0.0 || I[5] != 0.0) return;
    std::array<double, 3> squares{};
    for (std::size_t i = 0; i < 3; ++i) {
        squares[i] = 2.5 * (I[(i + 1) % 3] + I[(i + 2) % 3] - I[i]) / mass;
        if (!(squares[i] >= 0.0) || !std::isfinite(squares[i])) return;
    }
    for (std::size_t i = 0; i < 3; ++i) shown.axes[i] = std::sqrt(squares[i]);
}

Motion fixed_motion(Spatial& space) {
    return {{space.identity(), space.zero(), space.graph().zero()}, space.zero()};
}

/// Of all bodies. A body may be declared before the one it hangs on.
std::vector<Motion> motions_of(SceneMaker& maker) {
    const std::vector<Body>& bodies = maker.model.bodies;
    const auto& coordinates = maker.model.coordinates;
    Spatial space(maker.graph);
    std::vector<Motion> motions(bodies.size());
    std::vector<bool> known(bodies.size());
    std::vector<std::size_t> waiting;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(i);
             at != Body::ground && !known[static_cast<std::size_t>(at)];
             at = bodies[static_cast<std::size_t>(at)].parent)
            waiting.push_back(static_cast<std::size_t>(at));
        for (; !waiting.empty(); waiting.pop_back()) {
            const Body& body = bodies[waiting.back()];
            const Motion from = body.parent == Body::ground
                                    ? fixed_motion(space)
                                    : motions[static_cast<std::size_t>(body.parent)];
            motions[waiting.back()] = walk(
                space, from, body.steps, maker.expressions(body.constants),
                [&](std::size_t q) { return coordinates[q].q; },
                [&](std::size_t q) { return coordinates[q].v; });
            known[waiting.back()] = true;
        }
    }
    return motions;
}

}  // namespace

void SceneMaker::add_bodies() {
    Spatial space(graph);
    for (const Motion& motion : motions_of(*this)) frames_.push_back(motion.frame);
    const auto shown = [&](const Frame& frame) {
        SceneBody body;
        body.place = place(frame.p);
        for (std::size_t i = 0; i < 9; ++i) body.R[i] = channel(frame.R[i / 3][i % 3]);
        return body;
    };
    scene.bodies.push_back(shown(fixed_motion(space).frame));
    for (std::size_t b = 0; b < model.bodies.size(); ++b) {
        const Body& body = model.bodies[b];
        const std::vector<Expr> constants = expressions(body.constants);
        SceneBody made = shown(frames_[b]);
        made.name = body.name;
        made.parent = body.parent;
        const std::size_t inertia = constants.size() - Body::inertia_count;
        for (std::size_t i = 0; i < 3; ++i) made.center[i] = number(constants[inertia + 1 + i]);
        find_axis(*this, body, constants, made);
        if (!body.planar) find_ellipsoid(*this, std::span(constants).subspan(inertia), made);
        scene.bodies.push_back(std::move(made));
    }
    for (const BodyShape& shape : model.shapes)
        if (auto made = numbers_of(*this, shape, scene.left_out))
            scene.bodies[static_cast<std::size_t>(shape.body + 1)].shapes.push_back(
                std::move(*made));
    if (scene.bodies.size() == 1 && scene.bodies[0].shapes.empty()) scene.bodies.clear();
}

}  // namespace lacon::scene
