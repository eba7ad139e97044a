// The reciprocal condition of the constraints along a motion: condition, gap, and warnings before
// singular positions.
#pragma once

#include <array>
#include <functional>
#include <optional>

#include "lacon/motion.hpp"
#include "locate/singular_search.hpp"
#include "methods/clock.hpp"
#include "methods/field.hpp"

namespace lacon::inline driver {

/// What is known of the reciprocal condition of the constraints up to a time: what a run needs to
/// go on with it.
struct ConditionAccount {
    MotionDiagnosis found;
    std::size_t rank = 0;      // of the constraints in force, at generic positions
    double usual = 0.0;        // the largest reciprocal condition since they are in force
    bool approaching = false;  // the last warning's approach goes on
};

/// Follows how strong the constraints in force are along a motion (MotionDiagnosis), and warns
/// where their weakest direction becomes weak. Singular values are exact up to a size, by the
/// interpreter from the states alone; nothing of it touches the motion.
class ConditionWatch {
public:
    static constexpr std::size_t column_count = 3;
    static constexpr std::array<const char*, column_count> columns{
        "diagnosis.rank", "diagnosis.condition", "diagnosis.gap"};

    explicit ConditionWatch(DenseField& field) : field_(field) {}

    /// Constraints come into force at a state, or are from the begin on.
    void begin(const State& state);

    /// A step of the motion.
    struct Step {
        std::function<void(double, State&)> at;  // the state at a time within
        Clock begin;
        double length = 0.0;
        std::span<const SingularCrossing> passed;  // singular positions within
    };
    void follow(const Step& step);

    /// The columns of a row. At rank 0 condition and gap are 1 and 0, as in ConstrainedFactor and
    /// ConstrainedSolution; not a number where the equations have no finite values.
    void row(const State& state, std::span<double> out);

    ConditionAccount account;

private:
    /// The constraints at a state.
    struct Sight {
        std::size_t rank = 0;
        double reciprocal_condition =
            1.0;                 // of the weakest direction that counts at generic positions
        double condition = 1.0;  // of those that count here
        double gap = 0.0;
    };
    /// A time within a step.
    struct Mark {
        double tau = 0.0, reciprocal_condition = 0.0;
    };
    std::optional<Sight> look(const State& state);
    std::optional<Sight> look(const Step& step, double tau);
    double reciprocal_condition_at(const Step& step, double tau);
    std::vector<std::string> involved() const;
    void note(const State& state, const Sight& sight);
    void take_place(const Step& step, std::span<const Mark> marks, std::size_t i);
    Mark lowest_near(const Step& step, std::span<const Mark> marks, std::size_t i);
    void take_vanishing_row(const Step& step, const SingularCrossing& crossing);
    void warn(const Step& step, double before, double behind);

    using Measure = std::function<double(double)>;
    struct Fall {
        double tau = 0.0, rate = 0.0;
    };
    static Fall first_below(const Measure& value, double border, double before, double behind);
    static MotionDiagnosis::Warning warning_of(const Step& step, const Fall& fall, double value,
                                               double usual);

    void end_approach(const char* otherwise);
    void begin_anew(const Sight& sight);

    DenseField& field_;
    State state_;
    Equations equations_;
    ConstrainedFactor factor_;
};

}  // namespace lacon::driver
