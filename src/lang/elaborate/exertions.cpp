// Notes for pictures what contacts, joints and couplings exert, and where. Forces are linear in the
// multipliers: they are told by their derivatives, and by what is left where all are 0.
#include "expr/derivative.hpp"
#include "lang/elaborate/elaborator.hpp"

namespace lacon::lang {

namespace {

void append(Components& all, const Vector3& v) {
    all.insert(all.end(), v.begin(), v.end());
}

}  // namespace

/// A contact pushes its first body along the normal.
void Elaborator::note_contact(const shape::ContactPoint& point, std::size_t row) {
    if (notes_ == nullptr) return;
    Spatial space(model_.graph);
    Components value;
    for (const Vector3& v : {point.place, space.zero(), space.zero(), point.normal, space.zero()})
        append(value, v);
    notes_->exertions.push_back(
        {Exertion::Kind::contact, model_.constraints[row].name, {row}, kept(value)});
}

/// A row that is about the distance of two points, in the world.
void Elaborator::note_span(std::size_t row, const Vector3& a, const Vector3& b) {
    if (notes_ == nullptr) return;
    Components ends;
    append(ends, a);
    append(ends, b);
    notes_->spans.push_back({row, kept(ends)});
}

/// After all constraints are made. Where bodies have no places there were errors.
void Elaborator::note_joints() {
    if (notes_ == nullptr || !evaluator_.bodies.placed || diagnostics_.has_errors()) return;
    for (const JointValue& joint : evaluator_.bodies.joints) note_joint(joint);
    for (const CouplingValue& coupling : evaluator_.bodies.couplings) note_coupling(coupling);
}

void Elaborator::note_joint(const JointValue& joint) {
    if (joint.statement == nullptr || joint.row_count == 0) return;
    const auto local = evaluator_.joint_wrench(joint, joint.span);
    if (!local) return;
    Graph& g = model_.graph;
    Spatial space(g);
    const Matrix3& R = evaluator_.bodies.motion(joint.first).frame.R;
    Vector3 force = space.mul(R, local->first), torque = space.mul(R, local->second);
    // Dry friction is in the force, and no multiplier tells it.
    if (joint.statement->friction != none && joint.in_tree())
        (joint.kind->motions[0].kind == JointStep::Kind::slide ? force : torque) = space.zero();
    const Frame& second = evaluator_.bodies.motion(joint.second).frame;
    Exertion made{Exertion::Kind::joint, joint.name, {}, {}};
    Components all, value;
    append(all, force);
    append(all, torque);
    append(value, space.add(second.p, space.mul(second.R, joint.place.second)));
    ExprMap<Expr> without;
    for (const Observed& one : model_.observed)
        if (one.kind == Observed::Kind::multiplier) without.insert(one.symbol, g.zero());
    for (const Expr part : all) value.push_back(substitute(g, part, without));
    const auto acts = [&](Expr symbol) {
        return std::any_of(all.begin(), all.end(), [&](Expr part) {
            return depends_on(g, part, {&symbol, 1});
        });
    };
    for (const Observed& one : model_.observed) {
        if (one.kind != Observed::Kind::multiplier || !acts(one.symbol)) continue;
        made.rows.push_back(one.rows[0]);
        for (const Expr part : all) value.push_back(derivative(g, part, one.symbol));
    }
    made.value = kept(value);
    notes_->exertions.push_back(std::move(made));
}

void Elaborator::note_coupling(const CouplingValue& coupling) {
    if (!coupling.at || coupling.exerted.empty()) return;
    Spatial space(model_.graph);
    Exertion made{Exertion::Kind::joint, coupling.name, {}, {}};
    Components value;
    for (const Vector3& v : {*coupling.at, space.zero(), space.zero()}) append(value, v);
    for (const CouplingValue::Exerted& part : coupling.exerted) {
        made.rows.push_back(part.row);
        append(value, part.force);
        append(value, part.torque);
    }
    made.value = kept(value);
    notes_->exertions.push_back(std::move(made));
}

}  // namespace lacon::lang
