// A model from C++ goes through the same door as one from a file: as text.
#include "lacon/builder.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text.hpp"

namespace lacon {

namespace {

/// "(a, b)"; a single component stands for itself.
std::string vector_text(const Builder::Texts& components) {
    return fmt::format("({})", fmt::join(components, ", "));
}

}  // namespace

Builder::Builder(std::string title) : title_(std::move(title)) {
    if (!title_.empty()) statement(fmt::format("model \"{}\"", title_));
}

Builder& Builder::statement(const std::string& text) {
    text_ += text + "\n";
    return *this;
}

Builder& Builder::param(const std::string& name, double value, const std::string& text) {
    return statement(fmt::format("param {} = {}{}", name, shortest(value),
                                 text.empty() ? "" : " \"" + text + "\""));
}
Builder& Builder::param(const std::string& name, const std::string& value) {
    return statement(fmt::format("param {} = {}", name, value));
}
Builder& Builder::coord(const Texts& names) {
    return statement(fmt::format("coord {}", fmt::join(names, ", ")));
}
Builder& Builder::let(const std::string& name, const std::string& value) {
    return statement(fmt::format("let {} = {}", name, value));
}
Builder& Builder::particle(const std::string& name, const Texts& position,
                           const std::string& mass) {
    return statement(fmt::format("particle {} at {} mass {}", name, vector_text(position), mass));
}
Builder& Builder::gravity(const Texts& components) {
    return statement("gravity " + vector_text(components));
}
Builder& Builder::kinetic(const std::string& energy) {
    return statement("kinetic " + energy);
}
Builder& Builder::potential(const std::string& energy) {
    return statement("potential " + energy);
}
Builder& Builder::dissipation(const std::string& function) {
    return statement("dissipation " + function);
}
Builder& Builder::force(const std::string& coordinate, const std::string& value) {
    return statement(fmt::format("force {} = {}", coordinate, value));
}
Builder& Builder::force(const std::string& particle, const Texts& components) {
    return statement(fmt::format("force {} = {}", particle, vector_text(components)));
}
Builder& Builder::equation(const std::string& coordinate, const std::string& equation) {
    return statement(fmt::format("equation {}: {}", coordinate, equation));
}
Builder& Builder::constraint(const std::string& name, const std::string& equation) {
    return statement(fmt::format("constraint {}: {}", name, equation));
}
Builder& Builder::control(const std::string& name, const std::string& equation) {
    return statement(fmt::format("control {}: {}", name, equation));
}
Builder& Builder::nonideal(const std::string& coordinate, const std::string& value) {
    return statement(fmt::format("nonideal {} = {}", coordinate, value));
}
Builder& Builder::nonideal(const std::string& particle, const Texts& components) {
    return statement(fmt::format("nonideal {} = {}", particle, vector_text(components)));
}
Builder& Builder::friction(const std::string& coordinate, const std::string& bound,
                           const std::string& at_rest) {
    return statement(fmt::format("friction {} = {}{}", coordinate, bound,
                                 at_rest.empty() ? "" : " static " + at_rest));
}
Builder& Builder::start(const std::string& name, double value) {
    return statement(fmt::format("start {} = {}", name, shortest(value)));
}
Builder& Builder::guess(const std::string& name, double value) {
    return statement(fmt::format("start {} ~ {}", name, shortest(value)));
}
Builder& Builder::event(const std::string& name, const std::string& value, bool stop) {
    return statement(fmt::format("event {}: {}{}", name, value, stop ? " stop" : ""));
}
Builder& Builder::output(const std::string& value) {
    return statement("output " + value);
}
Builder& Builder::output(const std::string& name, const std::string& value) {
    return statement(fmt::format("output {} = {}", name, value));
}

Mechanism Builder::build(const Settings& settings) const {
    return Mechanism::parse(text_, title_.empty() ? "model" : title_, settings);
}

}  // namespace lacon
