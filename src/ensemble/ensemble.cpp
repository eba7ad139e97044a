// Compiles the steps once for all members and distributes the members over threads. A lane takes
// the next member when its own is done. Members that do not fit the code run with the careful
// driver.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "driver/plan/choose.hpp"
#include "ensemble/lanes.hpp"
#include "ensemble/same_system.hpp"
#include "hybrid/hybrid_run.hpp"
#include "large/choose.hpp"
#include "state/evaluate.hpp"

namespace lacon::inline ensemble {

namespace {

class Ensemble {
public:
    Ensemble(std::span<const Member> members, const EnsembleOptions& options)
        : members_(members), options_(options) {
        if (options.lanes > 16 || !(options.lanes == 0 || std::has_single_bit(options.lanes)))
            throw std::invalid_argument("lanes must be 1, 2, 4, 8 or 16");
        for (const Member& member : members) {
            const std::size_t n = member.mechanism.coordinates().size();
            if (member.guess && (member.guess->q.size() != n || member.guess->v.size() != n))
                throw std::invalid_argument(
                    "a guess must have one q and one v for each coordinate");
        }
        RunOptions run;
        run.begin = options.begin;
        run.end = options.end;
        run.every = options.every;
        run.tolerance = options.tolerance;
        run.method = options.method;
        run.solve = options.solve;
        run.solver = options.solver;
        run.interpret = options.interpret;
        run.target = options.target;
        run.cache = options.cache;
        run_options_ = run;
        result_.members.resize(members.size());
    }

    EnsembleMotion run() {
        const auto begin = std::chrono::steady_clock::now();
        if (members_.empty()) return std::move(result_);
        const DerivedModel& first = members_[0].mechanism.details();
        plan_ = plan_run(first, run_options_);
        if (options_.solver == Solver::sparse)
            choose_solver(first, plan_);  // refuses what cannot be
        choose_method();
        prepare();
        const std::size_t wanted = options_.threads > 0
                                       ? options_.threads
                                       : std::max(1u, std::thread::hardware_concurrency());
        const std::size_t threads = std::min(wanted, members_.size());
        std::vector<std::thread> others;
        for (std::size_t i = 1; i < threads; ++i) others.emplace_back([this] { work(); });
        work();
        for (std::thread& thread : others) thread.join();
        if (problem_) std::rethrow_exception(problem_);
        result_.wall_seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        return std::move(result_);
    }

private:
    void interpreted(const std::string& why) { result_.code.why = why; }

    /// Once for all members, by the rule of `run` for motions that are not stiff.
    void choose_method() {
        constexpr double accurate = 1e-8;
        if (plan_.method == MethodKind::automatic)
            plan_.method = plan_.tolerance <= accurate || options_.solver == Solver::sparse
                               ? MethodKind::taylor
                               : MethodKind::dop853;
        if (!plan_.tolerance_given) plan_.tolerance = default_tolerance(plan_.method);
    }

    /// The code for all members, decided by the first.
    void prepare() {
        const DerivedModel& details = members_[0].mechanism.details();
        smooth_ = std::make_unique<const SmoothSystem>(smooth(details.system));
        if (options_.solver == Solver::sparse)
            return interpreted("the sparse solver has no lanes yet");
        if (options_.interpret) return interpreted("as requested");
        if (!traits_of(plan_.method).has_compiled_steps)
            return interpreted(
                fmt::format("the method '{}' cannot run in lanes", name_of(plan_.method)));
        if (details.has_contacts())
            return interpreted("contacts and friction change the equations during the run");
        if (!Loads(details.system).is_empty())
            return interpreted("forces depend on constraint loads");
        if (!details.model.controls.empty()) return interpreted("control efforts are not compiled");
        if (smooth_->branch_count > 0)
            return interpreted("the model has decisions (if, abs, sign, min, max)");
        if (!details.model.events.empty()) return interpreted("the model has events");
        if (std::find(details.system.stabilized.begin(), details.system.stabilized.end(), true) !=
            details.system.stabilized.end())
            return interpreted("the model has constraints with `stabilize`");
        const Start start = start_of(members_[0]);
        if (!start.status) return interpreted("the first member has no start state");
        const KernelChoice choice =
            choose_kernel(evaluate_without_outputs(details, start.state, options_.solve));
        if (!choice.definite)
            return interpreted(
                "the mass matrix is singular, or constrained masses differ too much");
        try {
            compile(details, choice);
        } catch (const std::runtime_error& reason) {
            program_.reset();
            interpreted(reason.what());
        }
    }

    void compile(const DerivedModel& details, const KernelChoice& choice) {
        CodeOptions options = choice.code_options(details, options_.solve.rank_tol);
        options.varies.assign(details.parameters.size(),
                              true);  // of all, so that other members change no rounding
        kernel::CompileOptions target;
        target.isa = *kernel::isa_named(plan_.options.target);
        target.lanes = options_.lanes > 0 ? options_.lanes : native_lanes(target.isa);
        target.cache = options_.cache;
        LaneCode code;
        code.lanes = target.lanes;
        code.tolerance = plan_.tolerance;
        if (plan_.method == MethodKind::taylor) compile_taylor(details, options, target, code);
        else compile_runge_kutta(details, options, target, code);
        result_.code.tier = "full";
        result_.code.target = name_of(target.isa);
        result_.code.lanes = target.lanes;
        result_.code.whole_steps = true;
        result_.code.form = "straight";
        const std::size_t n = details.system.coordinate_count;
        by_time_ = !Calendar(details, plan_.begin, plan_.end, lowest_order).is_empty();
        if (plan_.method != MethodKind::taylor)  // whose series tell of them by themselves
            if (features_.emplace(FeatureSet::of_equations(details)); features_->is_empty())
                features_.reset();
        program_ = std::make_unique<const LaneProgram>(
            LaneProgram{std::move(code), n, KernelInputs(details, *smooth_), StepOutputs(n),
                        choice.floors, plan_.begin, plan_.end, options_.rows ? plan_.every : 0.0});
    }

    void compile_runge_kutta(const DerivedModel& details, const CodeOptions& options,
                             const kernel::CompileOptions& target, LaneCode& code) {
        const Tableau& tableau = traits_of(plan_.method).tableau();
        code.order = tableau.order;
        code.runge_kutta = kernel::compile(step_code(details, *smooth_, options, tableau), target);
        note(code.runge_kutta->report(), true);
    }
    void compile_taylor(const DerivedModel& details, const CodeOptions& options,
                        const kernel::CompileOptions& target, LaneCode& code) {
        const TaylorControl control(plan_.tolerance);
        code.tolerance = control.tolerance;
        auto source = std::make_shared<TaylorSource>(
            taylor_code(details, *smooth_, options, control.order), target);
        bool first = true;
        for (kernel::Source* part :
             {source->begin.get(), source->next.get(), source->sizes.get(), source->end.get()}) {
            note(part->full().kernel->report(), first);
            first = false;
        }
        code.taylor = std::move(source);
    }
    void note(const kernel::CompileReport& report, bool first) {
        result_.code.operations += report.operations;
        result_.code.compile_seconds += report.seconds;
        result_.code.from_cache = report.from_cache && (first || result_.code.from_cache);
    }

    std::vector<StartOverride> overrides_of(const Member& member) const {
        std::vector<StartOverride> overrides;
        if (!member.guess) return overrides;
        for (std::size_t i = 0; i < member.guess->q.size(); ++i)
            overrides.push_back({i, false, true, member.guess->q[i]});
        for (std::size_t i = 0; i < member.guess->v.size(); ++i)
            overrides.push_back({i, true, true, member.guess->v[i]});
        return overrides;
    }
    Start start_of(const Member& member) const {
        return consistent_start(member.mechanism.details(), overrides_of(member), options_.solve,
                                plan_.begin);
    }

    /// One thread: lanes as long as there are members, then what they refused.
    void work() {
        try {
            const auto next = [this](Traveller& traveller) { return take_next(traveller); };
            const auto done = [this](Traveller& t) {
                result_.members[t.member] = std::move(t.motion);
            };
            const auto refused = [this](Traveller& t) { be_careful(t.member); };
            if (program_) {
                LaneGroup(*program_, next, done, refused).run();
            } else {
                for (std::size_t i = taken_++; i < members_.size(); i = taken_++) be_careful(i);
            }
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!problem_) problem_ = std::current_exception();
        }
    }

    bool take_next(Traveller& traveller) {
        for (std::size_t i = taken_++; i < members_.size(); i = taken_++) {
            const Member& member = members_[i];
            const DerivedModel& details = member.mechanism.details();
            if (!details.model.events.empty() ||
                !same_equations(members_[0].mechanism.details(), details)) {
                be_careful(i);
                continue;
            }
            const Start start = start_of(member);
            if (!start.status) {
                result_.members[i].status = start.status;
                result_.members[i].final = start.state;
                continue;
            }
            traveller.member = i;
            traveller.state = start.state;
            traveller.parameters = details.parameters;
            if (features_)
                traveller.features = std::make_unique<FeatureSet>(*features_, details.parameters);
            if (by_time_)
                traveller.calendar =
                    std::make_unique<Calendar>(details, plan_.begin, plan_.end, lowest_order);
            return true;
        }
        return false;
    }

    void be_careful(std::size_t i) {
        const DerivedModel& details = members_[i].mechanism.details();
        std::vector<State> rows;
        const std::size_t n = details.system.coordinate_count;
        const auto take_row = [&](std::span<const double> row) {
            const auto q = row.begin() + 1, v = q + static_cast<std::ptrdiff_t>(n);
            rows.push_back({row[0], {q, v}, {v, v + static_cast<std::ptrdiff_t>(n)}});
        };
        RunPlan plan = plan_run(details, run_options_);  // which refuses what is not for its model
        plan.begin = plan_.begin;
        plan.end = plan_.end;
        plan.every = plan_.every;
        plan.tolerance = plan_.tolerance;
        plan.method = plan_.method;
        const SolverChoice solver = choose_solver(details, plan);
        if (!solver.refused) {
            result_.members[i].status = solver.refused;
            return;
        }
        HybridRun integration(details, plan, overrides_of(members_[i]),
                              options_.rows ? HybridRun::RowSink(take_row) : HybridRun::RowSink(),
                              solver);
        for (bool going = integration.begin(); going;) going = integration.step();
        const MotionSummary summary = integration.summary();
        result_.members[i] = {
            integration.status(), summary.final,          std::move(rows),        summary.steps,
            summary.rejected,     summary.worst.position, summary.worst.velocity, false};
    }

    std::span<const Member> members_;
    const EnsembleOptions& options_;
    RunOptions run_options_;
    RunPlan plan_;
    std::unique_ptr<const SmoothSystem> smooth_;
    std::unique_ptr<const LaneProgram> program_;
    std::optional<FeatureSet> features_;  // of the equations, where lanes have to look for them
    bool by_time_ = false;                // something depends on time alone
    static constexpr std::size_t lowest_order = 8;  // as the calendar of a single run counts
    std::atomic<std::size_t> taken_ = 0;
    EnsembleMotion result_;
    std::mutex mutex_;
    std::exception_ptr problem_;
};

}  // namespace

}  // namespace lacon::ensemble

namespace lacon {

EnsembleMotion run_ensemble(std::span<const Member> members, const EnsembleOptions& options) {
    return Ensemble(members, options).run();
}

}  // namespace lacon
