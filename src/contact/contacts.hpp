// All that contact and friction do at a state: gaps, modes, forces, impacts.
#pragma once

#include <functional>
#include <map>
#include <memory>

#include "contact/loads.hpp"
#include "contact/modes.hpp"
#include "contact/sight.hpp"
#include "mechanics/numbers/values.hpp"

namespace lacon::inline contact {

/// What is known of how a decision must come out, where a limit was just reached and rounding
/// would decide.
struct Leaving {
    /// Whose force has come to zero: open, unless that is no answer.
    std::vector<std::size_t> rows;
    struct Slip {
        std::size_t friction;           // that has come to the border of its cone: it slips
        std::vector<double> direction;  // against the force that held it
        /// It begins to slip without acceleration, whatever held it at rest: by efforts.
        bool without_acceleration = false;
    };
    std::vector<Slip> slips;
    /// The efforts of the first modes that serve will do, which need not be the cheapest.
    bool any_efforts = false;
};

/// The laws of contact of a mechanism as numbers: at a state, what closed contacts and friction do
/// to accelerations, and what an impact does to velocities. Holds workspace.
class Contacts {
public:
    /// What efforts are worth. Less that is missed counts before less that is spent.
    struct Price {
        double missed = 0.0;  // |C q'' − d|², of what may be missed
        double cost = 0.0;    // 0 where they are replayed
    };
    /// What controls do while these modes last, in a mode of the mechanism; of mechanisms with
    /// controls.
    struct Efforts {
        Status status;
        Price price;
        /// As the controller believes it to be; empty where efforts are replayed.
        std::vector<double> acceleration;
        std::vector<double> force;  // over the coordinates (n)
    };
    using EffortsIn = std::function<Efforts(const DerivedModel& mode_model, const State& state,
                                            const Equations& equations)>;

    Contacts(const DerivedModel& whole, const SolveOptions& options, EffortsIn efforts = {});

    /// Of every one-sided row its gap (φ or −φ, open where positive) and the gap's rate; 0 for
    /// two-sided rows. A row at velocity level has its value in both.
    struct Gaps {
        std::vector<double> gap, rate;
    };
    /// Of contacts out of sight the gap is the least it may be, and the rate 0.
    Gaps gaps(const State& state);
    Sight& sight() { return sight_; }
    /// From here on the decisions of the equations are those at the coordinates and the time of
    /// this place, behind a kink; all else is taken at the states given. Without a place, decisions
    /// are too.
    void look_behind(std::optional<State> place) { behind_ = std::move(place); }

    /// A gap or a speed of this size, scaled by the largest coordinate or velocity (at least 1),
    /// counts as zero.
    static constexpr double gap_tol = 1e-9, rate_tol = 1e-9;
    static double position_scale(const State& state);
    static double velocity_scale(const State& state);
    /// The closed contacts of a state: those without a gap that do not separate.
    std::vector<bool> closed_at(const State& state);

    using Leaving = contact::Leaving;
    struct Decision {
        Status status;
        ContactModes modes;
        ContactSolution solution;
        std::vector<std::size_t> rows;       // of the model, behind `solution.contact_states`
        std::vector<std::size_t> frictions;  // behind `solution.friction_states`
        std::vector<std::vector<double>> friction_forces;  // of each, over the coordinates (n)
        std::vector<bool> moved;  // of each friction of the model: it was sliding already
    };
    /// Accelerations with these contacts closed (m, by model row), all of them without gap and
    /// speed of separation. `added`: forces beside those that act (n), then what fixed bounds of
    /// friction are below what they are (as many as `fixed_bounds` gives); or none.
    Decision decide(const State& state, const std::vector<bool>& closed,
                    const Leaving& leaving = {}, std::span<const double> added = {});
    /// Whether efforts of a better price would do if one of these closed contacts were open or
    /// something slipped that does not yet, or all of them. `slips`: what slips.
    bool is_undercut(const State& state, const std::vector<bool>& closed,
                     const std::vector<Leaving::Slip>& slips, const Price& price);
    /// The mechanism in a mode, with workspace to evaluate it. What `decide` tried is kept, so the
    /// mode that it finds is seldom made anew. Valid until the next call of any function.
    struct InMode {
        std::unique_ptr<DerivedModel> details;
        std::unique_ptr<Assembler> assembler;
    };
    InMode& in_mode(const ContactModes& modes);
    /// Of all rows, whatever is in force.
    Assembler& all_rows() { return assembler_; }
    /// What tells which forces these contacts, two-sided rows and frictions can exert together:
    /// their directions over the coordinates, of length 1, and coefficients. False where a value
    /// is not finite.
    bool cone(const State& state, const std::vector<bool>& closed, std::vector<double>& out);
    /// What frictions with fixed bounds can hold at rest: of each that acts.
    std::vector<double> fixed_bounds(const State& state);

    /// A friction that slips, in its direction.
    static Leaving::Slip slip_of(const ContactModes& modes, const DerivedModel& whole,
                                 std::size_t friction);

    /// The velocities of slip of all frictions that closed contacts press; empty for others.
    std::vector<std::vector<double>> slips(const State& state, const std::vector<bool>& closed);

    /// The second derivatives of the gaps of these rows, at an acceleration; 0 for others.
    std::vector<double> gap_accelerations(const State& state, std::span<const double> acceleration,
                                          const std::vector<bool>& of);

    /// The rates of the velocities of slip of frictions that these closed contacts press, at an
    /// acceleration; empty for others.
    std::vector<std::vector<double>> slip_accelerations(const State& state,
                                                        std::span<const double> acceleration,
                                                        const std::vector<bool>& closed);

    /// Velocities after an impact with these contacts closed: gap rates after of at least
    /// −restitution times those before.
    struct Impact {
        Status status;
        std::vector<double> velocity;                      // after
        std::vector<std::size_t> hit;                      // rows with an impulse
        std::vector<std::pair<std::string, double>> lost;  // energy, by constraint
    };
    enum class Law { simultaneous, sequential };
    /// `dead`: rows that do not bounce, whatever their restitution; of all rows, or empty.
    Impact collide(const State& state, const std::vector<bool>& closed, Law law,
                   const std::vector<bool>& dead = {});
    /// The nearest velocities at which some closed rows (`resting`) do not separate, the others do
    /// not approach, and what sticks does not slip (unless that cannot be). What slides takes the
    /// friction of the impulses that do this, also of those that pull.
    Impact settle(const State& state, const std::vector<bool>& closed,
                  const std::vector<bool>& resting);
    /// The nearest velocities at which closed rows neither separate nor approach, and what slips at
    /// most this fast does not.
    Impact rest(const State& state, const std::vector<bool>& closed, double slow);

    /// The nearest velocities at which these frictions do not slide; closed contacts stay closed.
    Impact rest(const State& state, const std::vector<bool>& closed,
                const std::vector<bool>& frictions);

    /// How much a gap is known to, by the rounding of the coordinates: Σ_j |A_ij| times the largest
    /// coordinate (at least 1), of every row, at least that coordinate.
    std::vector<double> gap_scales(const State& state);

    /// The restitution of each one-sided row (0 for others).
    std::vector<double> restitution(const State& state);

    /// Of a friction at a state, from the multipliers of all rows (model's, then slip's): how hard
    /// it is pressed and pulled.
    struct Pull {
        double load = 0.0, pull = 0.0;
        double kinetic = 0.0, at_rest = 0.0;
    };
    Pull pull(std::size_t friction, const State& state, std::span<const double> multipliers);
    /// The direction in which it is about to slip, from the same: against the force that holds it.
    std::vector<double> slip_direction(std::size_t friction,
                                       std::span<const double> multipliers) const;

    /// Of a framed friction, how far its normal is from the axis in `directions`: a sine.
    double frame(std::size_t friction, const State& state, std::span<const double> directions);
    static constexpr double weak_frame = 0.2;

private:
    /// An assembler whose decisions are those of another place.
    struct Branched {
        SmoothSystem smooth;
        Assembler assembler;
        Branched(const DerivedModel& details)
            : smooth(lacon::smooth(details.system)),
              assembler(details.system, details.parameters, smooth) {}
    };
    State place_of(const State& state) const;
    Assembler& decided(const DerivedModel& details, Assembler& by_values,
                       std::unique_ptr<Branched>& branched, const State& state) const;
    /// A set of rows with workspace to evaluate them.
    struct Candidates {
        std::shared_ptr<InMode> mode;
        std::unique_ptr<Branched> branched;
        std::vector<std::size_t> two_sided, one_sided, frictions;
    };
    /// Numbers of a problem of contact, and what its rows are.
    struct Numbers {
        Equations equations;
        Residuals residuals;
        Matrix A, N;
        std::vector<double> b, d, weight_A, weight_N;
        std::vector<ContactFriction> friction;
        std::vector<std::vector<double>> slip;
    };
    struct Coulomb {
        double kinetic, at_rest;
        Matrix normals;  // FrictionPart::normals
    };
    Coulomb coulomb(std::size_t friction, const State& state);
    void choose_frames(Candidates& rows, const State& state);
    Candidates& candidates(const std::vector<bool>& closed);
    std::shared_ptr<InMode> in_mode(const ModeRows& rows);
    bool fill(Candidates& rows, const State& state, Numbers& out);
    void fill_friction(const Candidates& rows, std::size_t friction, const State& state,
                       std::size_t first, Numbers& out);
    class EffortSearch;
    static void begin_slips(const Candidates& set, const std::vector<Leaving::Slip>& slips,
                            Numbers& numbers);
    Status add_efforts(const State& state, const Candidates& rows, bool any, Numbers& numbers);
    /// Accelerations and forces of contact. `loads`: set where forces that depend on loads have no
    /// answer, or several.
    ContactSolution forces(const State& state, const Candidates& rows, const Numbers& numbers,
                           Status& loads) const;
    Decision decide_once(const State& state, const std::vector<bool>& closed,
                         const Leaving& leaving, std::span<const double> added);
    bool depends(const Candidates& set, const Numbers& numbers, std::size_t row,
                 const ContactModes& modes) const;
    Status status_of(const Candidates& rows, const ContactSolution& solution, const State& state);
    ContactModes modes(const Candidates& rows, const ContactSolution& solution) const;
    Impact collide_once(const State& state, const std::vector<bool>& closed,
                        const std::vector<bool>& dead);
    /// Whether it ends without sliding.
    using Sticks = std::function<bool(std::size_t friction, double speed)>;
    struct Rest;
    Rest rows_at_rest(const State& state, const Candidates& set, const Numbers& numbers,
                      const std::vector<bool>& resting, const Sticks& sticks);
    Impact settle_once(const State& state, const std::vector<bool>& closed,
                       const std::vector<bool>& resting, const Sticks& sticks, bool rubs = false);
    void note_losses(const Candidates& rows, const Numbers& numbers,
                     const ContactSolution& solution, const State& state, Impact& impact);

    const DerivedModel& whole_;
    SolveOptions options_;
    EffortsIn efforts_;
    Assembler assembler_;
    std::unique_ptr<Branched> branched_;
    std::optional<State> behind_;
    Sight sight_;
    std::vector<std::size_t> all_elements_;
    std::map<std::vector<bool>, Candidates> candidates_;
    std::map<ModeRows, std::shared_ptr<InMode>> modes_;
    std::map<std::size_t, ExpressionValues> laws_;
    std::optional<ExpressionValues> restitution_;
    std::vector<std::size_t> restitution_rows_;
};

}  // namespace lacon::contact
