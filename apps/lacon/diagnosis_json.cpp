// Writes every finding of a diagnosis or audit under its JSON key. Values that do not exist, such
// as the gap of rank 0, are null.
#include "diagnosis_json.hpp"

#include "base/text.hpp"

namespace lacon::app {

namespace {

template <class T>
Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json rank_json(const std::optional<RankFinding>& rank) {
    if (!rank) return nullptr;
    return {{"rows", rank->rows},
            {"rank", rank->rank},
            {"degrees_of_freedom", rank->degrees_of_freedom},
            {"smallest_kept", or_null(rank->smallest_kept)},
            {"largest_dropped", or_null(rank->largest_dropped)},
            {"gap", rank->rank ? Json(rank->gap) : Json(nullptr)},
            {"tolerance", rank->tolerance},
            {"decided", rank->decided},
            {"scaling", rank->scaling}};
}

Json dependency_json(const Dependency& d) {
    Json json{{"constraints", d.names},
              {"coefficients", d.coefficients},
              {"level", name_of(d.level)},
              {"verdict", name_of(d.verdict)},
              {"mismatch", d.mismatch},
              {"apart", d.apart},
              {"asked", or_null(d.asked)},
              {"fixed", or_null(d.fixed)},
              {"persistence", name_of(d.persistence)},
              {"sampled", d.sampled},
              {"dependent_in", d.dependent_in},
              {"text", with_short_names(d.text)}};
    if (!d.why.empty()) json["why"] = d.why;
    return json;
}

}  // namespace

Json to_json(const Diagnosis& d) {
    Json dependent = Json::array(), reactions = Json::array(), null_forces = Json::array(),
         singular = nullptr;
    for (const Dependency& one : d.dependent) dependent.push_back(dependency_json(one));
    for (const Reaction& reaction : d.reactions) {
        Json rows = Json::array();
        for (std::size_t i = 0; i < reaction.rows.size(); ++i)
            rows.push_back({{"name", reaction.rows[i]},
                            {"unique", static_cast<bool>(reaction.row_unique[i])}});
        reactions.push_back({{"name", reaction.name}, {"unique", reaction.unique}, {"rows", rows}});
    }
    for (const NullForce& force : d.null_forces)
        null_forces.push_back({{"constraints", force.names}, {"coefficients", force.coefficients}});
    if (d.singular)
        singular = {{"generic_rank", d.singular->generic_rank},
                    {"freed", d.singular->freed},
                    {"branches", d.singular->branches},
                    {"text", with_short_names(d.singular->text)}};
    return {{"rank", rank_json(d.rank)},
            {"dependent", dependent},
            {"singular", singular},
            {"reactions", reactions},
            {"null_forces", null_forces},
            {"convention", d.convention.empty() ? Json(nullptr) : Json(d.convention)},
            {"undetermined", d.undetermined},
            {"indefinite", d.indefinite}};
}

Json to_json(const Audit& audit) {
    Json lines = Json::array();
    for (const AuditLine& line : audit.lines)
        lines.push_back({{"name", line.name},
                         {"value", line.value},
                         {"tolerance", line.tolerance},
                         {"ok", line.ok},
                         {"text", line.text}});
    return lines;
}

std::map<std::string, bool> unique_multipliers(const Diagnosis& diagnosis) {
    std::map<std::string, bool> unique;
    for (const Reaction& reaction : diagnosis.reactions)
        for (std::size_t i = 0; i < reaction.rows.size(); ++i)
            unique[reaction.rows[i]] = reaction.row_unique[i];
    return unique;
}

}  // namespace lacon::app
