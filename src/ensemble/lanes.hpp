// The loop that takes motions through the lanes of one thread.
#pragma once

#include <functional>

#include "ensemble/lane_steps.hpp"
#include "lacon/ensemble.hpp"
#include "locate/calendar.hpp"
#include "locate/features.hpp"
#include "methods/clock.hpp"
#include "methods/step_control.hpp"

namespace lacon::inline ensemble {

/// What all threads share.
struct LaneProgram {
    LaneCode code;
    std::size_t n = 0;
    KernelInputs at;
    StepOutputs outputs;
    std::vector<double> floors;
    double begin = 0.0, end = 0.0, every = 0.0;
};

/// A motion on its way through a lane.
struct Traveller {
    std::size_t member = 0;
    State state;
    std::vector<double> parameters;
    MemberMotion motion;
    std::unique_ptr<FeatureSet> features;  // where steps may go over something narrow: what tells
    std::unique_ptr<Calendar> calendar;    // where something depends on time alone
};

/// Motions side by side, each with its own step size; a lane whose motion is over takes the next
/// one. One for each thread.
class LaneGroup {
public:
    /// `next` fills in member, state and parameters, or says that there is none left; `done` takes
    /// a motion that came to its end, `refused` one that is for the careful driver.
    using Next = std::function<bool(Traveller&)>;
    using Done = std::function<void(Traveller&)>;
    LaneGroup(const LaneProgram& program, Next next, Done done, Done refused);

    void run();

private:
    enum class Verdict { good, again, refused };
    struct Lane {
        Traveller traveller;
        Clock time;
        StepControl control;
        bool busy = false;
        int refusals = 0;  // in a row
        Verdict verdict = Verdict::good;
    };
    void fill(std::size_t l);
    void load(std::size_t l);
    Verdict judge(std::size_t l);
    bool sees_features(std::size_t l);
    void give_rows();
    bool has_row(std::size_t l, double& tau) const;
    void accept(std::size_t l);
    double out(std::size_t item, std::size_t l) const { return ends_[item * lanes_.size() + l]; }
    double& in(std::size_t item, std::size_t l) { return in_[item * lanes_.size() + l]; }

    const LaneProgram& p_;
    Next next_;
    Done done_, refused_;
    std::unique_ptr<LaneSteps> steps_;
    std::vector<Lane> lanes_;
    std::vector<double> lengths_;
    kernel::Buffer in_, ends_;  // ends_: what the steps gave out
    State end_, middle_;
    FeatureSet::Sample before_, behind_;
    std::vector<double> operands_, exponents_;
};

}  // namespace lacon::ensemble
