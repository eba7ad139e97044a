// Reads values and assignments that come from outside the model's text. The model's parameters are
// declared to the evaluator by hand, since no statement of the given text declares them.
#include <fmt/format.h>

#include <charconv>
#include <unordered_map>
#include <unordered_set>

#include "base/text.hpp"
#include "lang/evaluate/evaluator.hpp"
#include "lang/lang.hpp"
#include "lang/parse/parser.hpp"

/// Values and assignments from outside the model's text: `--set L=2*pi`, `--at "x=1, y[2]'=L/2"`.
namespace lacon::lang {

namespace {

/// "m[2,3]" in its parts.
std::pair<std::string_view, Index> split_name(std::string_view name) {
    Index index;
    const std::size_t bracket = std::min(name.find('['), name.size());
    const char* at = name.data() + bracket;
    const char* const end = name.data() + name.size();
    while (at < end && *at != ']' && index.count < index.at.size())
        at = std::from_chars(at + 1, end, index.at[index.count++]).ptr;
    return {name.substr(0, bracket), index};
}

/// Evaluates numbers with the parameters of a model, which are declared in no statement of the text
/// at hand.
class OutsideValues {
public:
    OutsideValues(Syntax& syntax, const Model& model, Diagnostics& diagnostics)
        : evaluator_((add_names(syntax, model), syntax), empty_model_, diagnostics, {}) {
        std::unordered_map<std::string_view, NameId> ids;
        for (NameId id = 0; id < syntax.names.size(); ++id) ids[syntax.names[id]] = id;
        for (const Parameter& parameter : model.parameters) {
            const auto [name, index] = split_name(parameter.name);
            evaluator_.names.add_outside_parameter(ids[name], index, parameter.value);
        }
    }

    std::optional<double> number(NodeId node) { return evaluator_.number(node, "this value"); }
    std::optional<Index> index_of(const Target& target) { return evaluator_.index_of(target); }

private:
    static void add_names(Syntax& syntax, const Model& model) {
        std::unordered_set<std::string_view> known(syntax.names.begin(), syntax.names.end());
        for (const Parameter& parameter : model.parameters)
            if (const auto name = split_name(parameter.name).first; known.insert(name).second)
                syntax.names.push_back(name);
    }

    Model empty_model_;
    Evaluator evaluator_;
};

/// What may be assigned: the time, the coordinates and their velocities.
std::vector<std::string> assignable_names(const Model& model) {
    std::vector<std::string> names = {"t"};
    for (const Coordinate& coordinate : model.coordinates) {
        names.push_back(coordinate.name);
        names.push_back(coordinate.name + "'");
    }
    return names;
}

/// Checks the names of assignments against a model.
class AssignmentNames {
public:
    AssignmentNames(const Model& model, Diagnostics& diagnostics)
        : names_(assignable_names(model)), diagnostics_(diagnostics) {
        known_.insert(names_.begin(), names_.end());
    }

    bool accept(const std::string& name, Span place) {
        if (!known_.contains(name)) {
            const auto near = nearest_name(name, names_);
            const std::string_view problem =
                name.ends_with("''")
                    ? "accelerations cannot be given: they follow from the equations"
                    : "";
            diagnostics_.error(
                place,
                problem.empty() ? fmt::format("the model has no coordinate '{}'", name)
                                : std::string(problem),
                near && problem.empty() ? fmt::format("did you mean '{}'?", *near) : "");
            return false;
        }
        if (given_.insert(name).second) return true;
        diagnostics_.error(place, fmt::format("'{}' is given twice", name));
        return false;
    }

private:
    std::vector<std::string> names_;
    Diagnostics& diagnostics_;
    std::unordered_set<std::string> known_, given_;
};

}  // namespace

std::optional<double> parse_value(const SourceText& source, const Model& model,
                                  Diagnostics& diagnostics) {
    auto [syntax, node] = Parser(source, diagnostics).parse_single_expression();
    if (node == none || diagnostics.has_errors()) return std::nullopt;
    return OutsideValues(syntax, model, diagnostics).number(node);
}

std::optional<std::vector<Assignment>> parse_assignments(const SourceText& source,
                                                         const Model& model,
                                                         Diagnostics& diagnostics,
                                                         bool with_guesses) {
    Syntax syntax = Parser(source, diagnostics).parse_assignment_list(with_guesses);
    if (syntax.statements.empty()) return std::nullopt;
    OutsideValues values(syntax, model, diagnostics);
    AssignmentNames names(model, diagnostics);
    std::vector<Assignment> assignments;
    for (const AssignedItem& item :
         std::get<StartStatement>(syntax.statements.front().content).items) {
        const auto index = values.index_of(item.target);
        const auto value = values.number(item.value);
        if (!index || !value) continue;
        const Span place = syntax.span(item.target.tokens);
        const std::string primes(static_cast<std::size_t>(item.target.primes), '\'');
        const std::string name =
            std::string(syntax.names[item.target.name]) + index->text() + primes;
        if (names.accept(name, place)) assignments.push_back({name, *value, item.guess, place});
    }
    if (diagnostics.has_errors()) return std::nullopt;
    return assignments;
}

}  // namespace lacon::lang
