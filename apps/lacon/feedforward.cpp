// Reads the table of --feedforward and checks that it has all actuators and covers the time span.
// The checksum is FNV-1a over the bits of all numbers.
#include "feedforward.hpp"

#include <fmt/format.h>

#include <bit>

#include "base/text.hpp"
#include "hybrid/inverse.hpp"

namespace lacon::app {

EffortRecord read_feedforward(const std::string& model, const std::string& file,
                              const DerivedModel& details, const RunPlan& plan) {
    const auto refused = [&](const std::string& why) {
        return bad_input(model, "--feedforward", why);
    };
    if (details.model.controls.empty())
        throw refused("the model has no controls, so there are no efforts to replay");
    if (!known_ending(file))
        throw refused(fmt::format("'{}' must end in .csv, .json or .h5", file));
    try {
        const Table table = read_table(file);
        EffortRecord record =
            effort_record(details.actuator_names, table.info.names, table.columns);
        if (record.t.front() > plan.begin || record.t.back() < plan.end)
            throw refused(fmt::format("'{}' covers t = {} to {}, but the run goes from {} to {}",
                                      file, rounded(record.t.front()), rounded(record.t.back()),
                                      rounded(plan.begin), rounded(plan.end)));
        return record;
    } catch (const TableError& problem) {
        throw refused(problem.what());
    } catch (const std::invalid_argument& problem) {
        throw refused(fmt::format("'{}': {}", file, problem.what()));
    }
}

std::uint64_t checksum(const EffortRecord& record) {
    std::uint64_t sum = 14695981039346656037u;  // FNV-1a, by whole numbers
    const auto add = [&](double x) {
        sum = (sum ^ std::bit_cast<std::uint64_t>(x)) * 1099511628211u;
    };
    for (const double t : record.t) add(t);
    for (const auto& efforts : record.efforts)
        for (const double u : efforts) add(u);
    return sum;
}

}  // namespace lacon::app
