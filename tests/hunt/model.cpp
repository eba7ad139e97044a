// A model as the hunt has it, and its text for the engine.
#include "hunt/model.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "hunt/dice.hpp"

namespace hunt {

int Model::add_coordinate(const std::string& name, double at, double speed) {
    names.push_back(name);
    q.push_back(at);
    v.push_back(speed);
    return count() - 1;
}

void Model::require(const std::string& name, const Term& left, const Term& right, int level) {
    rows.push_back({name, level, left.node, right.node, false, 0.0});
}

namespace {

using Names = std::map<int, std::string>;

std::string gravity_text(const std::vector<double>& gravity) {
    std::string all;
    for (const double g : gravity) all += (all.empty() ? "" : ", ") + shortest(g);
    return "gravity " + (gravity.size() == 1 ? all : "(" + all + ")");
}

const char* word_of(Kind kind) {
    return kind == Kind::kinetic     ? "kinetic "
           : kind == Kind::potential ? "potential "
                                     : "dissipation ";
}

std::string coordinate_line(std::vector<std::string> names, Dice* dice) {
    if (dice != nullptr) dice->shuffle(names);
    std::string line;
    for (const std::string& name : names) line += (line.empty() ? "coord " : ", ") + name;
    return line;
}

/// One line for each statement; parts of formulas that have names appear by these.
class Writer {
public:
    Writer(const Model& model, const Names& given) : model_(model), given_(given) {}

    std::string text(int node) const {
        return model_.tree->text(node, model_.names, model_.tables, given_);
    }

    std::vector<std::string> statements() const {
        std::vector<std::string> lines;
        for (const Table& table : model_.tables)
            lines.push_back("data " + table.name + " = \"" + table.name + ".csv\" beyond zero");
        for (const auto& one : model_.particles)
            lines.push_back("particle " + one.name + " at " + vector_text(one.at) + " mass " +
                            shortest(one.mass));
        if (!model_.gravity.empty()) lines.push_back(gravity_text(model_.gravity));
        for (const auto& one : model_.energies) lines.push_back(word_of(one.kind) + text(one.node));
        for (const auto& one : model_.forces)
            lines.push_back("force " + name(one.coordinate) + " = " + text(one.node));
        for (const auto& one : model_.equations)
            lines.push_back("equation " + name(one.coordinate) + ": " + text(one.left) + " = " +
                            text(one.right));
        for (const auto& row : model_.rows) lines.push_back(row_text(row));
        for (const auto& row : model_.rows)
            if (!row.dry.empty())
                lines.push_back("friction " + row.dry + " = " + shortest(row.friction) +
                                (row.at_rest < 0.0 ? "" : " static " + shortest(row.at_rest)));
        for (const auto& one : model_.controls) lines.push_back(control_text(one));
        for (const auto& one : model_.events)
            lines.push_back("event " + one.name + ": " + text(one.node));
        lines.insert(lines.end(), model_.lines.begin(), model_.lines.end());
        for (int i = 0; i < model_.count(); ++i)
            lines.push_back(start_text(static_cast<std::size_t>(i)));
        return lines;
    }

private:
    const std::string& name(int coordinate) const {
        return model_.names[static_cast<std::size_t>(coordinate)];
    }
    std::string vector_text(const std::vector<int>& nodes) const {
        std::string all;
        for (const int node : nodes) all += (all.empty() ? "(" : ", ") + text(node);
        return nodes.size() == 1 ? all.substr(1) : all + ")";
    }
    std::string row_text(const Model::Row& row) const {
        return "constraint " + row.name + ": " + text(row.left) + (row.one_sided ? " >= " : " = ") +
               text(row.right) +
               (row.one_sided ? " restitution " + shortest(row.restitution) : "") +
               friction_text(row);
    }
    std::string friction_text(const Model::Row& row) const {
        if (!row.rubs() || !row.dry.empty()) return "";
        return " friction " + shortest(row.friction) +
               (row.at_rest < 0.0 ? "" : " static " + shortest(row.at_rest)) +
               (row.slip >= 0 ? " slip " + text(row.slip) : " on " + row.on);
    }
    std::string control_text(const Model::Control& one) const {
        std::string all = "control " + one.name + ": " + text(one.left) +
                          (one.one_sided ? " >= " : " = ") + text(one.right);
        std::string by, weight, limit;
        for (const auto& actuator : model_.actuators) {
            by += (by.empty() ? " by " : ", ") + actuator.name + " = " + text(actuator.node);
            if (actuator.weight > 0.0)
                weight += (weight.empty() ? " weight " : ", ") + shortest(actuator.weight);
            if (actuator.limit > 0.0)
                limit += (limit.empty() ? " limit " : ", ") + shortest(-actuator.limit) + ".." +
                         shortest(actuator.limit);
        }
        all += by + weight;
        if (!one.gain.empty()) all += " gain";
        for (const double gain : one.gain) all += " " + shortest(gain);
        return all + limit;
    }
    std::string start_text(std::size_t i) const {
        const bool held = !model_.held.empty() && model_.held[i];
        return "start " + model_.names[i] + (held ? " = " : " ~ ") + shortest(model_.q[i]) + ", " +
               model_.names[i] + "' ~ " + shortest(model_.v[i]);
    }

    const Model& model_;
    const Names& given_;
};

/// Numbers of all nodes that statements need.
std::set<int> nodes_of(const Model& model) {
    std::set<int> all;
    for (const auto& one : model.particles) all.insert(one.at.begin(), one.at.end());
    for (const auto& one : model.energies) all.insert(one.node);
    for (const auto& one : model.forces) all.insert(one.node);
    for (const auto& one : model.rows) all.insert({one.left, one.right});
    for (const auto& one : model.rows)
        if (one.slip >= 0) all.insert(one.slip);
    for (const auto& one : model.equations) all.insert({one.left, one.right});
    for (const auto& one : model.controls) all.insert({one.left, one.right});
    for (const auto& one : model.actuators) all.insert(one.node);
    for (const auto& one : model.events) all.insert(one.node);
    for (auto at = all.rbegin(); at != all.rend(); ++at)
        for (const int arg : (*model.tree)[*at].args) all.insert(arg);
    return all;
}

/// Some numbers become parameters, some parts of formulas definitions; the lines that say so.
std::vector<std::string> definitions(const Model& model, std::uint64_t seed, Names& given) {
    Dice dice(seed);
    std::vector<std::string> lines;
    for (const int node : nodes_of(model)) {
        const Op op = (*model.tree)[node].op;
        const bool is_leaf = (*model.tree)[node].args.empty();
        if ((is_leaf && op != Op::number) || !dice.chance(is_leaf ? 0.3 : 0.15)) continue;
        if (model.tree->contains(node, Op::acceleration)) continue;
        const std::string name = (is_leaf ? "k" : "part") + std::to_string(node);
        lines.push_back((is_leaf ? "param " : "let ") + name + " = " +
                        Writer(model, given).text(node));
        given[node] = name;
    }
    return lines;
}

}  // namespace

std::string text_of(const Model& model, const Wording& wording) {
    if (!model.text.empty()) return model.text;
    Names given;
    std::vector<std::string> lines;
    if (wording.names != 0) lines = definitions(model, wording.names, given);
    for (std::string& line : Writer(model, given).statements()) lines.push_back(std::move(line));
    Dice dice(wording.shuffle);
    lines.push_back(coordinate_line(model.names, wording.shuffle == 0 ? nullptr : &dice));
    lines.push_back("simulate " + shortest(model.begin) + ".." + shortest(model.end));
    if (wording.shuffle == 0) std::ranges::rotate(lines, lines.end() - 2);
    else dice.shuffle(lines);
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
}

std::string csv_of(const Table& table) {
    std::string all;
    for (std::size_t i = 0; i < table.x.size(); ++i)
        all += shortest(table.x[i]) + "," + shortest(table.y[i]) + "\n";
    return all;
}

}  // namespace hunt
