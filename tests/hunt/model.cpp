#include "hunt/model.hpp"

#include <algorithm>

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

std::string vector_text(const Model& model, const std::vector<int>& nodes) {
    std::string all;
    for (const int node : nodes) all += (all.empty() ? "(" : ", ") + model.tree->text(node, model.names, model.tables);
    return nodes.size() == 1 ? all.substr(1) : all + ")";
}

std::string gravity_text(const std::vector<double>& gravity) {
    std::string all;
    for (const double g : gravity) all += (all.empty() ? "" : ", ") + shortest(g);
    return "gravity " + (gravity.size() == 1 ? all : "(" + all + ")");
}

const char* word_of(Kind kind) {
    return kind == Kind::kinetic ? "kinetic " : kind == Kind::potential ? "potential " : "dissipation ";
}

std::string coordinate_line(std::vector<std::string> names, Dice* dice) {
    if (dice != nullptr) dice->shuffle(names);
    std::string line;
    for (const std::string& name : names) line += (line.empty() ? "coord " : ", ") + name;
    return line;
}

std::vector<std::string> statements(const Model& model) {
    std::vector<std::string> lines;
    const auto text = [&](int node) { return model.tree->text(node, model.names, model.tables); };
    for (const Table& table : model.tables) lines.push_back("data " + table.name + " = \"" + table.name + ".csv\" beyond zero");
    for (const auto& one : model.particles)
        lines.push_back("particle " + one.name + " at " + vector_text(model, one.at) + " mass " + shortest(one.mass));
    if (!model.gravity.empty()) lines.push_back(gravity_text(model.gravity));
    for (const auto& one : model.energies) lines.push_back(word_of(one.kind) + text(one.node));
    for (const auto& one : model.forces)
        lines.push_back("force " + model.names[static_cast<std::size_t>(one.coordinate)] + " = " + text(one.node));
    for (const auto& row : model.rows)
        lines.push_back("constraint " + row.name + ": " + text(row.left) + (row.one_sided ? " >= " : " = ") + text(row.right) +
                        (row.one_sided ? " restitution " + shortest(row.restitution) : ""));
    for (std::size_t i = 0; i < model.names.size(); ++i)
        lines.push_back("start " + model.names[i] + " ~ " + shortest(model.q[i]) + ", " + model.names[i] + "' ~ " +
                        shortest(model.v[i]));
    return lines;
}

}  // namespace

std::string text_of(const Model& model, std::uint64_t shuffle) {
    if (!model.text.empty()) return model.text;
    Dice dice(shuffle);
    std::vector<std::string> lines = statements(model);
    lines.push_back(coordinate_line(model.names, shuffle == 0 ? nullptr : &dice));
    lines.push_back("simulate " + shortest(model.begin) + ".." + shortest(model.end));
    if (shuffle == 0) std::ranges::rotate(lines, lines.end() - 2);
    else dice.shuffle(lines);
    std::string all;
    for (const std::string& line : lines) all += line + "\n";
    return all;
}

std::string csv_of(const Table& table) {
    std::string all;
    for (std::size_t i = 0; i < table.x.size(); ++i) all += shortest(table.x[i]) + "," + shortest(table.y[i]) + "\n";
    return all;
}

}  // namespace hunt
