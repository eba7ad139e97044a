#pragma once

#include <functional>

#include "kernel/kernel.hpp"
#include "lacon/ensemble.hpp"
#include "motion/clock.hpp"
#include "motion/compiled.hpp"
#include "motion/step_code.hpp"
#include "motion/step_control.hpp"

namespace lacon {

/// What all threads share.
struct LaneProgram {
    std::shared_ptr<const kernel::Kernel> kernel;
    const Tableau& tableau;
    std::size_t n = 0;
    KernelInputs at;
    StepOutputs outputs;
    std::vector<double> floors;
    double begin = 0.0, end = 0.0, tolerance = 0.0;
};

/// A motion on its way through a lane.
struct Traveller {
    std::size_t member = 0;
    State state;
    std::vector<double> parameters;
    MemberMotion motion;
};

/// Motions side by side, each with its own step size; a lane whose motion is over takes the next one. One for each thread.
class Lanes {
public:
    /// `next` fills in member, state and parameters, or says that there is none left; `done` takes a motion that came to its
    /// end, `refused` one that is for the careful driver.
    using Next = std::function<bool(Traveller&)>;
    using Done = std::function<void(Traveller&)>;
    Lanes(const LaneProgram& program, Next next, Done done, Done refused);

    void run();

private:
    struct Lane {
        Traveller traveller;
        Clock time;
        StepControl control;
        bool busy = false;
        int refusals = 0;  // in a row
        double length = 0.0;
    };
    void fill(std::size_t l);
    void load(std::size_t l);
    void judge(std::size_t l);
    void accept(std::size_t l, double error);
    double out(std::size_t item, std::size_t l) const { return out_[item * lanes_.size() + l]; }
    double& in(std::size_t item, std::size_t l) { return in_[item * lanes_.size() + l]; }

    const LaneProgram& p_;
    Next next_;
    Done done_, refused_;
    std::vector<Lane> lanes_;
    std::vector<double> in_, out_, work_;
};

}  // namespace lacon
