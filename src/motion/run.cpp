#include <stdexcept>

#include "motion/phased_run.hpp"

namespace lacon {

const std::vector<double>& Motion::column(const std::string& name) const {
    for (std::size_t i = 0; i < names.size(); ++i)
        if (names[i] == name) return columns[i];
    throw std::out_of_range("the motion has no column '" + name + "'");
}

Motion run(const Mechanism& mechanism, const RunOptions& options, const std::function<bool(const StepView&)>& on_step) {
    Motion motion;
    const SystemDetails& details = mechanism.details();
    PhasedRun integration(details, plan_run(details, options), {}, [&](std::span<const double> row) {
        for (std::size_t i = 0; i < row.size(); ++i) motion.columns[i].push_back(row[i]);
    });
    motion.names = integration.names();
    motion.columns.resize(motion.names.size());
    bool going = integration.begin();
    while (going) {
        going = integration.step();
        const StepView view{integration.state(), integration.last_length(), integration.steps()};
        if (on_step && !on_step(view)) {
            integration.interrupt();
            break;
        }
    }
    motion.status = integration.status();
    motion.summary = integration.summary();
    return motion;
}

}  // namespace lacon
