// A failing case made small: statements and coordinates are dropped, formulas and numbers made
// simple, the run made short, as long as it fails.

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "hunt/case.hpp"
#include "hunt/contact_equations.hpp"

namespace hunt {
namespace {

constexpr int most_tries = 400;
constexpr double shortest_run = 1e-3;

class Shrinker {
public:
    Shrinker(Case one, const std::function<bool(const Case&)>& fails)
        : best_(std::move(one)), fails_(fails) {}

    Case run() {
        plain_plan();
        if (!best_.second.empty() || !best_.model.text.empty()) return best_;
        // Momentum is kept by the model as it is, not by every part of it.
        if (!best_.model.conserved.empty() &&
            !changed([](Case& one) { one.model.conserved.clear(); }))
            return best_;
        for (bool smaller = true; smaller && tries_ < most_tries;) {
            smaller = drop_statements();
            smaller |= drop_coordinates();
            smaller |= simplify_formulas();
        }
        shorten();
        simplify_numbers();
        return best_;
    }

private:
    bool take_if_fails(const Case& smaller) {
        if (++tries_ > most_tries || !fails_(smaller)) return false;
        best_ = smaller;
        return true;
    }
    template <class Change>
    bool changed(Change change) {
        Case copy = best_;
        change(copy);
        if (!has_sense(copy)) return false;
        if (copy.road == Road::contact_state) close_again(copy);
        return take_if_fails(copy);
    }

    /// 1 >= 1 is no contact, whatever friction it is given, and nothing slides along the normal of
    /// its contact.
    static bool has_sense(const Case& copy) {
        const Model& model = copy.model;
        if (std::ranges::none_of(model.rows, &Model::Row::is_contact)) return true;
        const auto coordinates = static_cast<std::size_t>(model.count());
        if (model.q.size() != coordinates || model.v.size() != coordinates)
            return true;  // there is no state to look at
        ContactEquations at(model);
        at.evaluate({Real(copy.t), Reals(model.q.begin(), model.q.end()),
                     Reals(model.v.begin(), model.v.end())});
        return std::ranges::all_of(at.contacts(), [&](std::size_t r) {
            double n = 0.0, w = 0.0, both = 0.0;
            for (std::size_t j = 0; j < at.equations().n(); ++j) {
                const double normal = at.equations().A(r, j).nearest(),
                             along = model.rows[r].rubs() ? at.tangent(r, j).nearest() : 0.0;
                n += normal * normal, w += along * along, both += normal * along;
            }
            return n > 0.0 && (!model.rows[r].rubs() || (w > 0.0 && both * both < 0.8 * n * w));
        });
    }

    /// Contacts that touched touch in the changed model, too: their right sides follow.
    void close_again(Case& copy) const {
        const auto gaps = [](const Model& model, double t) {
            std::map<std::string, Real> all;
            std::vector<int> nodes;
            for (const auto& row : model.rows) nodes.insert(nodes.end(), {row.left, row.right});
            Tape tape(*model.tree, nodes, model.tables);
            tape.evaluate({Real(t), Reals(model.q.begin(), model.q.end()),
                           Reals(model.v.begin(), model.v.end())});
            for (std::size_t r = 0; r < model.rows.size(); ++r)
                all[model.rows[r].name] = tape[2 * r] - tape[2 * r + 1];
            return all;
        };
        const auto before = gaps(best_.model, best_.t), after = gaps(copy.model, copy.t);
        for (auto& row : copy.model.rows) {
            const auto was = before.find(row.name);
            if (row.level != 0 || was == before.end() || abs(was->second) > 1e-9) continue;
            const Real off = after.at(row.name);
            if (abs(off) <= 1e-9 || (*copy.model.tree)[row.right].op != Op::number) continue;
            row.right = copy.model.c((off + (*copy.model.tree)[row.right].value).nearest()).node;
        }
    }

    void plain_plan() {
        const Plan plain;
        changed([](Case& one) {
            one.plan = Plan{.method = one.plan.method, .tolerance = one.plan.tolerance};
        });
        if (best_.plan.wording.shuffle != 0)
            changed([](Case& one) { one.plan.wording.shuffle = 0; });
        if (best_.plan.wording.names != 0) changed([](Case& one) { one.plan.wording.names = 0; });
        if (best_.plan.written_out) changed([](Case& one) { one.plan.written_out = false; });
        if (best_.plan.ensemble) changed([](Case& one) { one.plan.ensemble = false; });
        if (best_.plan.repeat != 0) changed([](Case& one) { one.plan.repeat = 0; });
        if (best_.plan.back) changed([](Case& one) { one.plan.back = false; });
        if (best_.plan.method != plain.method) changed([](Case& one) { one.plan.method = "auto"; });
        if (best_.plan.tolerance != plain.tolerance)
            changed([&](Case& one) { one.plan.tolerance = plain.tolerance; });
        if (!best_.plan.interpret) changed([](Case& one) { one.plan.interpret = true; });
        if (best_.plan.solver != plain.solver) changed([](Case& one) { one.plan.solver = "auto"; });
    }

    template <class Items>
    bool drop_each(Items Model::*items) {
        bool smaller = false;
        for (std::size_t k = (best_.model.*items).size(); k-- > 0;)
            smaller |= changed([&](Case& one) {
                (one.model.*items)
                    .erase((one.model.*items).begin() + static_cast<std::ptrdiff_t>(k));
            });
        return smaller;
    }
    bool drop_statements() {
        bool smaller = drop_each(&Model::forces);
        smaller |= drop_each(&Model::energies);
        smaller |= drop_each(&Model::rows);
        smaller |= drop_each(&Model::particles);
        smaller |= drop_each(&Model::events);
        smaller |= drop_each(&Model::controls);
        smaller |= drop_each(&Model::actuators);
        if (!best_.model.gravity.empty())
            smaller |= changed([](Case& one) { one.model.gravity.clear(); });
        return smaller;
    }

    bool drop_coordinates() {
        bool smaller = false;
        for (int i = best_.model.count(); i-- > 0 && best_.model.count() > 1;)
            smaller |= changed([&](Case& one) { without_coordinate(one, i); });
        return smaller;
    }

    /// Every node that statements refer to.
    static std::vector<int*> places(Model& model) {
        std::vector<int*> all;
        for (auto& one : model.particles)
            for (int& node : one.at) all.push_back(&node);
        for (auto& one : model.energies) all.push_back(&one.node);
        for (auto& one : model.forces) all.push_back(&one.node);
        for (auto& one : model.rows) all.push_back(&one.left), all.push_back(&one.right);
        for (auto& one : model.narrow) all.push_back(&one.node);
        for (auto& one : model.events) all.push_back(&one.node);
        for (auto& one : model.rows)
            if (one.slip >= 0) all.push_back(&one.slip);
        for (auto& one : model.controls) all.push_back(&one.left), all.push_back(&one.right);
        for (auto& one : model.actuators) all.push_back(&one.node);
        return all;
    }
    static void replace(Model& model, std::map<int, int> by) {
        for (int* node : places(model)) *node = model.tree->replaced(*node, by);
    }
    /// Numbers of nodes that statements need, without narrow features.
    static std::set<int> used(Model model) {
        model.narrow.clear();
        std::set<int> all;
        for (const int* node : places(model)) all.insert(*node);
        for (auto at = all.rbegin(); at != all.rend(); ++at)
            for (const int arg : (*model.tree)[*at].args) all.insert(arg);
        return all;
    }

    static void without_coordinate(Case& one, int i) {
        Model& model = one.model;
        std::map<int, int> by{{model.x(i).node, model.c(model.q[static_cast<std::size_t>(i)]).node},
                              {model.v_of(i).node, model.c(0.0).node},
                              {model.a_of(i).node, model.c(0.0).node}};
        for (int j = i + 1; j < model.count(); ++j) {
            by[model.x(j).node] = model.x(j - 1).node;
            by[model.v_of(j).node] = model.v_of(j - 1).node;
            by[model.a_of(j).node] = model.a_of(j - 1).node;
        }
        replace(model, by);
        std::erase_if(model.forces,
                      [&](const Model::Force& force) { return force.coordinate == i; });
        for (auto& force : model.forces) force.coordinate -= force.coordinate > i ? 1 : 0;
        const auto at = static_cast<std::ptrdiff_t>(i);
        model.names.erase(model.names.begin() + at);
        model.q.erase(model.q.begin() + at);
        model.v.erase(model.v.begin() + at);
        if (!one.plan.units.length.empty())
            one.plan.units.length.erase(one.plan.units.length.begin() + at);
        std::erase_if(model.rows, [&](const Model::Row& row) {
            return is_constant(model, row.left) && is_constant(model, row.right);
        });
    }
    static bool is_constant(const Model& model, int node) {
        const Tree& tree = *model.tree;
        return !tree.contains(node, Op::coordinate) && !tree.contains(node, Op::velocity) &&
               !tree.contains(node, Op::acceleration);
    }

    /// A node becomes one of its arguments, or 1.
    bool simplify_formulas() {
        bool smaller = false;
        const std::set<int> nodes = used(best_.model);
        for (auto at = nodes.rbegin(); at != nodes.rend() && tries_ < most_tries; ++at) {
            const Node node = (*best_.model.tree)[*at];
            if (node.args.empty() || !used(best_.model).contains(*at)) continue;
            std::vector<int> simpler{best_.model.c(1.0).node};
            if (node.op < Op::above)
                simpler.insert(simpler.end(), node.args.begin(), node.args.end());
            for (const int by : simpler)
                if (changed([&](Case& one) { replace(one.model, {{*at, by}}); })) {
                    smaller = true;
                    break;
                }
        }
        return smaller;
    }

    void shorten() {
        for (const double part : {0.5, 0.7, 0.9})
            while (tries_ < most_tries && best_.model.end - best_.model.begin > shortest_run &&
                   changed([&](Case& one) {
                       one.model.end = Dice::rounded(
                           one.model.begin + part * (one.model.end - one.model.begin), 2);
                       std::erase_if(one.model.breaks,
                                     [&](double time) { return time >= one.model.end; });
                   })) {
            }
    }

    void simplify_numbers() {
        for (std::size_t r = 0; r < best_.model.rows.size(); ++r)
            for (auto number :
                 {&Model::Row::restitution, &Model::Row::friction, &Model::Row::at_rest})
                if (const double value = best_.model.rows[r].*number;
                    value > 0.0 && Dice::rounded(value, 1) != value)
                    changed(
                        [&](Case& one) { one.model.rows[r].*number = Dice::rounded(value, 1); });
        for (const int node : used(best_.model)) {
            if ((*best_.model.tree)[node].op != Op::number) continue;
            const double value = (*best_.model.tree)[node].value;
            for (const double simpler : {1.0, Dice::rounded(value, 1), Dice::rounded(value, 2)})
                if (simpler != value && changed([&](Case& one) {
                        replace(one.model, {{node, one.model.c(simpler).node}});
                        for (double& time : one.model.breaks) time = time == value ? simpler : time;
                    }))
                    break;
        }
        for (auto list : {&Model::q, &Model::v})
            for (std::size_t i = 0; i < (best_.model.*list).size(); ++i)
                for (const double simpler : {0.0, 1.0, Dice::rounded((best_.model.*list)[i], 1)})
                    if (simpler == (best_.model.*list)[i] ||
                        changed([&](Case& one) { (one.model.*list)[i] = simpler; }))
                        break;
    }

    Case best_;
    const std::function<bool(const Case&)>& fails_;
    int tries_ = 0;
};

}  // namespace

Case shrink(const Case& failing, const std::function<bool(const Case&)>& fails) {
    return Shrinker(failing, fails).run();
}

}  // namespace hunt
