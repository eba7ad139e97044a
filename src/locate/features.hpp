// Checks that a step has not passed over something narrow, such as a pole, a peak or a high power.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "contact/sight.hpp"
#include "expr/feature.hpp"
#include "mechanics/system/symbols.hpp"
#include "methods/clock.hpp"
#include "methods/field.hpp"

namespace lacon::inline locate {

/// The system with all there may be in its equations: also what is not in force in a mode, and
/// what is required of controls.
const DerivedModel& widest(const DerivedModel& details);

/// Takes out of the features of a shape's program what a constraint on positions holds where it is,
/// as the length of a rod. `residual`: the slot of the constraint.
void drop_held(const DerivedModel& whole, std::size_t shape, const SeriesProgram& program,
               std::uint32_t residual, std::vector<Feature>& features);

/// A step: the states within it (without their time), and how long it is.
struct StepPath {
    using At = std::function<void(double tau, State& out)>;
    At at;
    double length = 0.0;
};

/// The operands of all features (expr/feature.hpp) of some expressions of a model, as numbers along
/// a motion. Holds workspace.
class FeatureSet {
public:
    /// Of the equations: forces, masses, constraints, controls; also of what is not in force in a
    /// mode of contact. But of what sticks in it the velocity of sliding is rounding: what divides
    /// by it counts where it slides.
    static FeatureSet of_equations(const DerivedModel& details);
    /// Of what is watched for its sign: decisions, gaps of one-sided constraints, events.
    static FeatureSet of_watched(const DerivedModel& details);

    /// The same features of a system with the same equations and other parameters, which must
    /// outlive the set.
    FeatureSet(const FeatureSet& other, const std::vector<double>& parameters)
        : leaves_(other.leaves_),
          parameters_(parameters),
          parts_(other.parts_),
          work_(parts_->work, 0.0) {}

    /// Leaves out the features of contacts out of sight, until the next call.
    void leave_out(const Sight& sight);
    bool is_empty() const {
        return parts_->kinds.empty() ||
               (!unseen_.empty() &&
                std::find(unseen_.begin(), unseen_.end(), false) == unseen_.end());
    }
    std::size_t count() const { return parts_->kinds.size(); }
    bool is_left_out(std::size_t i) const { return !unseen_.empty() && unseen_[i]; }
    Feature::Kind kind(std::size_t i) const { return parts_->kinds[i]; }
    const Curve& curve(std::size_t i) const { return *parts_->curves[i]; }  ///< of a signal
    /// The operands (count) at a state, and the exponents of powers; those of other kinds are 0.
    void sample(const State& state, std::span<double> operands, std::span<double> exponents);

    /// What is known of the features at a place of a step.
    struct Sample {
        double tau = 0.0;
        std::vector<double> operands, rates, exponents;  // rates: of the operands along the step
    };
    void sample(const StepPath& path, const Clock& begin, double tau, Sample& out);
    /// The same at a state at the end of a step of this length; velocities are taken as they are.
    void sample(const State& state, double length, Sample& out);
    /// Whether all features between two places can be told from them, by a method of this order.
    /// Between them an operand goes like the cubic that its values and rates give; how well it does
    /// is told by its values `middle` of them, if given.
    bool connects(const Sample& from, const Sample& to, std::size_t order,
                  std::span<const double> middle = {}) const;

private:
    struct Source {  // what all members of a shape have in common
        SeriesProgram program;
        std::vector<Feature> features;
        std::vector<bool> divides_by_velocity;  // of each feature
        std::size_t coordinates = 0, parameters = 0;
    };
    /// An element with features, and what it belongs to: the row of a contact, or a friction.
    struct Owned {
        Element element;
        std::int32_t gap = -1, friction = -1;
    };
    struct Member {
        std::size_t source;
        std::uint32_t leaves;
        std::int32_t gap = -1;  // the row of a contact
    };
    struct Parts {  // made once for a model
        std::vector<Source> sources;
        std::vector<Member> members;
        SeriesProgram event_program;
        std::vector<Feature> event_features;
        std::vector<SymbolRole> event_inputs;
        std::vector<Feature::Kind> kinds;
        std::vector<std::shared_ptr<const Curve>> curves;
        std::vector<std::int32_t> slides;  // of each feature the friction that has it, else −1
        std::size_t work = 0;
        bool bends = false;  // features that a step cannot go over unseen count too

        /// Takes features out, of the program of a shape.
        using Drop = std::function<void(std::size_t shape, const SeriesProgram& program,
                                        std::vector<Feature>& features)>;
        void add_shapes(const System& system, const std::vector<std::vector<Expr>>& roots,
                        const std::vector<Owned>& elements, const Drop& drop = {});
        void add_events(const Model& model);
        void add(const std::vector<Feature>& features);
    };

    FeatureSet(const DerivedModel& details, const char* name,
               void (*fill)(const DerivedModel& whole, Parts& parts));
    static std::vector<Owned> owned(const std::vector<Element>& elements);
    static std::vector<Owned> owned(const std::vector<NonidealElement>& parts);
    static void fill_equations(const DerivedModel& whole, Parts& parts);
    static void fill_watched(const DerivedModel& whole, Parts& parts);
    double event_input(const SymbolRole& role, const State& state) const;
    void leave_out_resting(const DerivedModel& mode);

    const std::vector<std::uint32_t>& leaves_;
    const std::vector<double>& parameters_;
    std::shared_ptr<const Parts> parts_;
    std::vector<bool> left_out_;  // of each member; empty: none
    std::vector<bool> unseen_;    // the same of each feature
    std::vector<double> work_;
    State state_;
};

/// Looks for what is narrow within steps. A step goes on as far as every feature stays within reach
/// of what the step has seen; further only where the equations agree with it at the places where
/// the features are at their strongest.
class FeatureCheck {
public:
    explicit FeatureCheck(DenseField& field);

    bool is_empty() const { return set_.is_empty(); }
    /// A first look, at the ends of a step and its middle: whether they tell all there is between
    /// them.
    bool spans(const State& from, const State& to, const StepPath& path, std::size_t order);
    /// How far the step goes by steps of its samples from which the features can be told, for a
    /// method of this order.
    double resolved(const StepPath& path, const Clock& begin, std::size_t order);
    /// Whether the accelerations at the places where features are strongest, and beside them, are
    /// those of the step.
    bool agrees(const StepPath& path, const Clock& begin, double tolerance);
    bool agrees_at(const StepPath& path, const Clock& begin, double tau,
                   double tolerance);  ///< there alone

private:
    std::span<const double> operands_at(const StepPath& path, const Clock& begin, double tau);
    struct Center {  // where a feature is strongest
        double at;
        std::size_t feature;
    };
    std::vector<Center> centers(const StepPath& path, const Clock& begin);
    double closeness_of(std::size_t place, std::size_t feature) const;
    double flank(const StepPath& path, const Clock& begin, const Center& center, bool is_behind,
                 double depth);
    double closeness(std::size_t feature, double operand, double exponent) const;
    double closeness_at(const StepPath& path, const Clock& begin, double tau, std::size_t feature);
    void promised(const StepPath& path, double tau, std::vector<double>& a);

    DenseField& field_;
    FeatureSet set_;
    State state_;
    std::vector<FeatureSet::Sample> samples_;
    double last_ = NAN;  // the time of what stands in samples_[1], where `spans` left it
    std::vector<double> operands_, exponents_, promised_, found_;
};

}  // namespace lacon::locate
