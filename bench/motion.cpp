// How long a motion takes, in process: bench_motion MODEL END METHOD TOLERANCE STEP STABILIZE
// [NAME=VALUE...]. MODEL is a .lac file or the name of one below, METHOD one of Lacon's, or
// `sparse` or `dense` for Taylor's with that solve, STEP that of the methods with a fixed one.
// Prints one line of JSON: the first, best and median time of several runs (the first is none of
// those unless it is long), what the run counted, and the state it ended in. Rows are not part of
// it: there is one at the begin and one at the end.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "chain_in_angles.hpp"
#include "lacon/motion.hpp"

namespace {

const std::map<std::string, std::string> texts = {
    {"angles", chain_in_angles},
    // Goes round and round: flat twice a turn, and there both ways are open to the linkage.
    {"parallelogram", R"(
coord x1, y1, x2, y2
particle B at (x1, y1) mass 1
particle C at (x2, y2) mass 2
gravity (0, -9.81)
constraint left: norm(B) = 1
constraint right: norm(C - (2, 0)) = 1
constraint coupler: norm(C - B) = 2
start x1 = 0, y1 = -1, x2 = 2, y2 = -1, x1' = 8, x2' ~ 8, y1' ~ 0, y2' ~ 0
)"},
    // The rod gives way, but a damper takes the swing out of it within 10 microseconds.
    {"stiff", R"(
param k = 1e7, c = 1e5
coord x, y
particle p at (x, y) mass 1
gravity (0, -9.81)
let r = norm((x, y))
force p = -(k*(r - 1) + c*r')*(x, y)/r
start x = 1, y = 0
)"},
};

lacon::Mechanism mechanism(const std::string& model, const lacon::Settings& settings) {
    const auto text = texts.find(model);
    return text == texts.end() ? lacon::Mechanism::load(model, settings)
                               : lacon::Mechanism::parse(text->second, model, settings);
}

/// `times` in the order of the runs.
void print(const lacon::Motion& motion, std::vector<double> times) {
    const double first = times.front();
    if (times.size() > 1) times.erase(times.begin());
    std::sort(times.begin(), times.end());
    const auto& s = motion.summary;
    const auto crossings = std::count_if(s.events.begin(), s.events.end(),
                                         [](const auto& e) { return e.kind == "rank"; });
    std::printf(R"({"outcome": "%s", "first": %.9g, "seconds": %.9g, "median": %.9g, )",
                std::string(name_of(motion.status.outcome)).c_str(), first, times.front(),
                times[times.size() / 2]);
    std::printf(R"("method": "%s", "steps": %zu, "evaluations": %zu, "passages": %td, )",
                s.method.c_str(), s.steps, s.evaluations, crossings);
    std::printf(R"("energy": %.3g, "position": %.3g, "velocity": %.3g, "t": %.17g)",
                s.worst.energy / s.energy_scale, s.worst.position_absolute,
                s.worst.velocity_absolute, s.final.t);
    for (const auto& [name, values] : {std::pair("q", &s.final.q), std::pair("v", &s.final.v)}) {
        std::printf(R"(, "%s": [)", name);
        for (std::size_t i = 0; i < values->size(); ++i)
            std::printf("%s%.17g", i > 0 ? ", " : "", (*values)[i]);
        std::printf("]");
    }
    std::printf("}\n");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 7)
        return std::fprintf(stderr,
                            "usage: bench_motion MODEL END METHOD TOLERANCE STEP STABILIZE "
                            "[NAME=VALUE...]\n"),
               2;
    lacon::Settings settings;
    for (int i = 7; i < argc; ++i) {
        const std::string setting = argv[i];
        const std::size_t equals = setting.find('=');
        settings.emplace_back(setting.substr(0, equals),
                              std::atof(setting.substr(equals + 1).c_str()));
    }
    const auto system = mechanism(argv[1], settings);
    lacon::RunOptions options;
    options.end = options.every = std::atof(argv[2]);
    const std::string method = argv[3];
    const bool is_solver = method == "sparse" || method == "dense";
    options.method = is_solver ? "taylor" : method;
    if (is_solver) options.solver = method;
    options.tolerance = std::atof(argv[4]);
    options.step = std::atof(argv[5]);
    const std::string stabilize = argv[6];
    options.stabilize = stabilize == "none"        ? lacon::Stabilize::none
                        : stabilize == "baumgarte" ? lacon::Stabilize::baumgarte
                                                   : lacon::Stabilize::project;
    double spent = 0.0;
    std::vector<double> times;
    lacon::Motion motion;
    constexpr double is_long = 3.0, enough = 0.3;
    for (int run = 0; run == 0 || (run == 1 && spent < is_long) || (run < 50 && spent < enough);
         ++run) {
        if (run == 1) spent = 0.0;
        const auto begin = std::chrono::steady_clock::now();
        motion = lacon::run(system, options);
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        times.push_back(seconds);
        spent += seconds;
    }
    print(motion, times);
}
