// Compares the events of a run with contacts with those of the oracle.
#include <algorithm>
#include <cmath>
#include <ctime>

#include "hunt/contact_run.hpp"
#include "hunt/engine.hpp"

namespace hunt {
namespace {

constexpr int rows_asked = 40;
constexpr double most_cpu_seconds = 10.0;
constexpr double one_moment = 1e-6;  // events closer than this are of one moment

double cpu_seconds() {
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// One event for each name in "a, b".
std::vector<ContactEvent> contact_events(const Model& model,
                                         const std::vector<lacon::MotionEvent>& all) {
    const auto name_of = [&](std::string name) {
        for (const Model::Row& row : model.rows)
            if (!row.dry.empty() && name == "friction " + row.dry) return row.name;
        return name;
    };
    std::vector<ContactEvent> events;
    for (const lacon::MotionEvent& event : all) {
        if (event.kind == "switch" || event.kind == "rank" || event.kind == "event") continue;
        std::string names = event.name;
        for (std::size_t comma = 0; !names.empty();
             names = comma == std::string::npos ? "" : names.substr(comma + 2)) {
            comma = names.find(", ");
            events.push_back({event.kind, name_of(names.substr(0, comma)), event.t});
        }
    }
    return events;
}

Model measured(const Case& one) {
    Model model = varied(one);
    for (std::size_t r = 0; r < model.rows.size(); ++r)
        model.lines.push_back("output N" + std::to_string(r) + "_ = " + model.rows[r].name +
                              ".multiplier");
    for (std::size_t i = 0; i < model.names.size(); ++i)
        model.lines.push_back("output a" + std::to_string(i) + "_ = " + model.names[i] + "''");
    return model;
}

void read_rows(const Model& model, const lacon::Motion& motion, ContactRun& run) {
    const std::vector<double>& t = motion.column("t");
    run.scale_q.assign(model.names.size(), 1.0);
    run.scale_v.assign(model.names.size(), 1.0);
    for (std::size_t k = 0; k < t.size(); ++k) {
        run.rows.push_back({Real(t[k]), {}, {}});
        run.a.emplace_back();
        run.multiplier.emplace_back();
        for (std::size_t i = 0; i < model.names.size(); ++i) {
            const double q = motion.column(model.names[i])[k],
                         v = motion.column(model.names[i] + "'")[k];
            run.rows.back().q.emplace_back(q);
            run.rows.back().v.emplace_back(v);
            run.scale_q[i] = std::max(run.scale_q[i], std::abs(q));
            run.scale_v[i] = std::max(run.scale_v[i], std::abs(v));
            run.a.back().emplace_back(motion.column("a" + std::to_string(i) + "_")[k]);
        }
        for (std::size_t r = 0; r < model.rows.size(); ++r)
            run.multiplier.back().emplace_back(motion.column("N" + std::to_string(r) + "_")[k]);
    }
}

}  // namespace

ContactRun run_contacts(const Case& one, double tolerance) {
    ContactRun run;
    const Model model = measured(one);
    const Engine engine(model, one.plan);
    if (run.refused = engine.why; !engine.mechanism) return run;
    const double begin = cpu_seconds();
    const lacon::RunOptions options{.every = (model.end - model.begin) / rows_asked,
                                    .tolerance = tolerance,
                                    .method = one.plan.method,
                                    .interpret = one.plan.interpret,
                                    .cache = false};
    const lacon::Motion motion =
        lacon::run(*engine.mechanism, options, [&](const lacon::StepView&) {
            run.slow = cpu_seconds() - begin > most_cpu_seconds;
            return !run.slow;
        });
    run.status = motion.status;
    run.steps = motion.summary.steps;
    run.events = contact_events(model, motion.summary.events);
    for (const auto& [name, energy] : motion.summary.contact.lost) run.lost += energy;
    run.gained = motion.summary.contact.gained;
    if (run.status) read_rows(model, motion, run);
    return run;
}

std::vector<ContactEvent> in_order(std::vector<ContactEvent> events) {
    const auto near = [](const ContactEvent& a, const ContactEvent& b) {
        return std::abs(a.t - b.t) < one_moment;
    };
    std::ranges::stable_sort(events, {}, &ContactEvent::t);
    std::vector<ContactEvent> kept;
    for (const ContactEvent& one : events) {
        const bool closes = std::ranges::any_of(events, [&](const ContactEvent& other) {
            return near(one, other) && other.name == one.name && other.kind != "stick" &&
                   other.kind != "slip";
        });
        if (!closes || (one.kind != "stick" && one.kind != "slip")) kept.push_back(one);
    }
    for (std::size_t from = 0; from < kept.size();) {
        std::size_t to = from + 1;
        while (to < kept.size() && near(kept[to - 1], kept[to])) ++to;
        std::sort(kept.begin() + static_cast<std::ptrdiff_t>(from),
                  kept.begin() + static_cast<std::ptrdiff_t>(to),
                  [](const ContactEvent& a, const ContactEvent& b) {
                      return std::pair(a.kind, a.name) < std::pair(b.kind, b.name);
                  });
        from = to;
    }
    return kept;
}

std::string difference(const std::vector<ContactEvent>& found,
                       const std::vector<ContactEvent>& expected, double within, std::size_t most) {
    const auto text = [](const ContactEvent& one) {
        return one.kind + " " + one.name + " at t = " + shortest(one.t);
    };
    for (std::size_t k = 0; k < std::min(most, std::max(found.size(), expected.size())); ++k) {
        if (k >= found.size()) return "event " + text(expected[k]) + " is missing";
        if (k >= expected.size()) return "event " + text(found[k]) + " is not expected";
        if (found[k].kind == "settled" || expected[k].kind == "settled")
            return {};  // by the tolerance, not by the motion
        if (found[k].kind != expected[k].kind || found[k].name != expected[k].name)
            return "event " + text(found[k]) + ", expected " + text(expected[k]);
        if (!(std::abs(found[k].t - expected[k].t) <= within))
            return "event " + text(found[k]) + ", expected at " + shortest(expected[k].t);
    }
    return {};
}

}  // namespace hunt
