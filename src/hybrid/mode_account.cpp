// What becomes an event between two modes, and how the account of the modes joins that of the last
// integration.
#include "hybrid/mode_account.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace lacon::inline hybrid {

ModeAccount::ModeAccount(const DerivedModel& details, ImpactLaw impacts)
    : details_(details), controls_(details.control_names.size()) {
    const auto& rows = details.model.constraints;
    if (std::any_of(rows.begin(), rows.end(),
                    [](const ConstraintRow& row) { return side_of(row) != 0; }))
        contact_.law = name_of(impacts);
}

void ModeAccount::note(const Clock& time, EventKind kind, const std::string& name) {
    MotionEvent event{time.now(), kind, name};
    event.constraints = {name};
    current_.push_back(std::move(event));
}

void ModeAccount::note_impact(const Contacts::Impact& impact, const Clock& time) {
    std::vector<std::string> names;
    for (const std::size_t r : impact.hit) names.push_back(details_.constraint_names[r]);
    MotionEvent event{time.now(), EventKind::impact, fmt::format("{}", fmt::join(names, ", "))};
    event.constraints = names;
    current_.push_back(std::move(event));
    note_lost(impact);
    double lost = 0.0;
    for (const auto& [name, energy] : impact.lost) lost += energy;
    contact_.gained = std::max(contact_.gained, -lost);
}

void ModeAccount::note_lost(const Contacts::Impact& impact) {
    for (const auto& [name, energy] : impact.lost) contact_.lost[name] += energy;
}

void ModeAccount::note_changes(const ContactModes& before, const ContactMode& now,
                               const std::vector<bool>& settled, const Clock& time) {
    for (std::size_t r = 0; r < now.modes.contact_states.size(); ++r) {
        if (side_of(details_.model.constraints[r]) == 0) continue;
        const ContactState was = before.contact_states[r], is = now.modes.contact_states[r];
        const std::string& name = details_.constraint_names[r];
        if (was == ContactState::open && is != ContactState::open && !settled[r])
            note(time, EventKind::contact, name);
        if (was != ContactState::open && is == ContactState::open)
            note(time, EventKind::release, name);
    }
    for (std::size_t f = 0; f < now.modes.friction_states.size(); ++f) {
        const FrictionState was = before.friction_states[f], is = now.modes.friction_states[f];
        const FrictionPart& part = details_.system.frictions[f];
        if (is == FrictionState::sticks && was != FrictionState::sticks)
            note(time, EventKind::stick, part.name);
        // In a plane a direction may turn by more than a right angle without coming to rest; along
        // a line it cannot.
        const bool rested = part.slip_count == 1 || !now.moved[f];
        const bool turned = was == FrictionState::slips && rested && turns(before, now.modes, f);
        if (is != FrictionState::slips || (was != FrictionState::sticks && !turned)) continue;
        const auto since = now.slipped_since.find(f);
        note(since == now.slipped_since.end() ? time : Clock{since->second, 0.0}, EventKind::slip,
             part.name);
    }
}

/// Whether a friction slides the other way than before.
bool ModeAccount::turns(const ContactModes& before, const ContactModes& now,
                        std::size_t friction) const {
    const FrictionPart& part = details_.system.frictions[friction];
    const std::size_t first = part.direction - details_.model.parameters.size();
    double along = 0.0;
    for (std::size_t i = first; i < first + part.slip_count; ++i)
        along += before.directions[i] * now.directions[i];
    return along < 0.0;
}

void ModeAccount::note_saturation(const ControlSet& before, const ControlSet& now,
                                  const Clock& time) {
    const Model& model = details_.model;
    for (std::size_t i = 0; i < now.limits.size(); ++i) {
        if (before.limits[i] == now.limits[i]) continue;
        const auto serves = [&](const Control& control) {
            return std::find(control.actuators.begin(), control.actuators.end(), i) !=
                   control.actuators.end();
        };
        const auto control = std::find_if(model.controls.begin(), model.controls.end(), serves);
        MotionEvent event{time.now(), EventKind::saturation, control->name};
        event.actuator = model.actuators[i].name;
        event.limit = now.limits[i] < 0   ? LimitSide::low
                      : now.limits[i] > 0 ? LimitSide::high
                                          : LimitSide::free;
        current_.push_back(std::move(event));
    }
}

void ModeAccount::note_method(const Integration& mode) {
    const auto known = [&](const auto& method) { return method.first == mode.method(); };
    if (std::none_of(contact_.methods.begin(), contact_.methods.end(), known))
        contact_.methods.emplace_back(mode.method(), mode.why());
    if (usual_method_ != MethodKind::automatic || !mode.is_without_loads()) return;
    contact_.method = mode.method();
    usual_method_ = named<MethodKind>(mode.method()).value_or(MethodKind::automatic);
}

void ModeAccount::forget_first_changes() {
    std::erase_if(current_, [](const MotionEvent& e) {
        return e.kind != EventKind::impact && e.kind != EventKind::settled;
    });
}

void ModeAccount::take_events(MotionSummary& ended) {
    std::move(ended.events.begin(), ended.events.end(), std::back_inserter(told_));
    ended.events.clear();
}

void ModeAccount::close_change() {
    std::move(current_.begin(), current_.end(), std::back_inserter(told_));
    current_.clear();
}

void ModeAccount::note_in(Snapshot& snapshot) const {
    snapshot.summary.events.insert(snapshot.summary.events.begin(), told_.begin(), told_.end());
    snapshot.summary.contact = contact_;
    snapshot.summary.controls = controls_;
}

void ModeAccount::resume(const Snapshot& snapshot) {
    contact_ = snapshot.summary.contact;
    usual_method_ = Named<MethodKind>(contact_.method);
    controls_ = snapshot.summary.controls;
}

void ModeAccount::note_in(MotionSummary& summary) const {
    summary.contact = contact_;
    summary.controls = controls_;
    if (contact_.methods.size() == 1) summary.why = contact_.methods[0].second;
    if (contact_.methods.size() > 1) {
        std::vector<std::string> names, reasons;
        for (const auto& [name, why] : contact_.methods) {
            names.push_back(name);
            reasons.push_back(why.empty() ? fmt::format("{} (as requested)", name)
                                          : fmt::format("{} ({})", name, why));
        }
        summary.method = fmt::format("{}", fmt::join(names, " and "));
        summary.why = fmt::format("{}", fmt::join(reasons, ", "));
    }
    summary.events.insert(summary.events.begin(), told_.begin(), told_.end());
    // Of a change that could not be ended.
    summary.events.insert(summary.events.end(), current_.begin(), current_.end());
    // Contacts settle later than they are known to.
    const auto earlier = [](const MotionEvent& a, const MotionEvent& b) { return a.t < b.t; };
    std::stable_sort(summary.events.begin(), summary.events.end(), earlier);
}

// ---- how long modes last

namespace {

std::uint64_t hash_of(const ModeRows& rows) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV
    const auto mix = [&](std::size_t number) { hash = (hash ^ (number + 1)) * 0x100000001b3ULL; };
    for (const std::size_t row : rows.rows) mix(row);
    mix(~std::size_t{1});
    for (const std::size_t friction : rows.slides) mix(friction);
    return hash;
}

}  // namespace

/// It decides by steps alone, so that a run that goes on from a checkpoint has code at the same
/// places.
std::size_t ModeLengths::begin(const ModeRows& rows, std::size_t unknowns, std::size_t step) {
    constexpr std::size_t most_kept = 32;
    // To write the code takes about as long as so many steps without it. Not critical.
    const std::size_t worth = 2 + unknowns / 8;
    if (!lengths_.empty()) lengths_.front().steps += step - begin_step_;
    begin_step_ = step;
    const std::uint64_t mode = hash_of(rows);
    auto found = std::find_if(lengths_.begin(), lengths_.end(),
                              [&](const ModeLength& one) { return one.mode == mode; });
    if (found == lengths_.end()) {
        if (lengths_.size() == most_kept) lengths_.pop_back();
        found = lengths_.insert(lengths_.end(), {mode, 0});
    }
    std::rotate(lengths_.begin(), found, found + 1);
    const std::size_t lasted = lengths_.front().steps;
    return lasted >= worth ? step : step + (worth - lasted);
}

void ModeLengths::recall(const ModeRows& rows, std::size_t begin_step,
                         std::vector<ModeLength> lengths) {
    lengths_ = std::move(lengths);
    begin_step_ = begin_step;
    if (lengths_.empty()) lengths_.push_back({hash_of(rows), 0});  // of an earlier version
}

}  // namespace lacon::hybrid
