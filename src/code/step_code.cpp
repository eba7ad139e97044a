// Every stage solves the constrained problem (P1 5a). The step is refused if a stage is close to
// singular, or if a row turns round, vanishes or changes its length too much on the way.
#include "code/step_code.hpp"

#include "code/row_lengths.hpp"
#include "methods/step_control.hpp"

namespace lacon::inline code {

using kernel::Code;
using kernel::Value;

namespace {

using Vector = std::vector<Value>;

class StepWriter {
public:
    StepWriter(const DerivedModel& details, const SmoothSystem& smooth, const CodeOptions& options,
               const Tableau& tableau)
        : system_(details.system),
          tableau_(tableau),
          n_(details.system.coordinate_count),
          model_(details, smooth, options, code_) {
        code_.most_nodes = most_step_nodes;
        const auto count = static_cast<std::uint32_t>(model_.at.count);
        h_ = Value(code_, code_.input(count));
        tolerance_ = Value(code_, code_.input(count + 1));
    }

    Code run() {
        begin_ = input_state(model_.at, n_, code_);
        for (std::size_t s = 0; s < tableau_.stages; ++s) slope(stage(s), s > 0);
        StateValues end = begin_;
        end.t = begin_.t + h_;
        for (std::size_t i = 0; i < 2 * n_; ++i)
            at(end, i) = at(end, i) + h_ * weighted(tableau_.b, i);
        slope(end, true);
        const Value error = error_size(end);
        const kernel::Problem problem = model_.problem(end);
        const kernel::Problem before = model_.problem(begin_);
        const kernel::Factored factored = model_.factored(problem, true);
        check_turned_rows(before, problem);
        fine_ = when_both(
            fine_, factored.continues(before.A));  // no direction of them comes out turned either
        // The stages of dopri5 leave half of the step out: a row that vanishes is 4.8 times
        // shorter.
        fine_ = when_both(fine_, keep_length(sizes_, 4.5));
        write_step_end(system_, model_, {end, problem, factored, error, fine_}, code_);
        for (const Vector* slope : {&slopes_.front(), &slopes_.back()})
            for (std::size_t i = n_; i < 2 * n_; ++i)
                code_.outputs.push_back((*slope)[i].id_in(code_));
        return std::move(code_);
    }

private:
    Value& at(StateValues& state, std::size_t i) const {
        return i < n_ ? state.q[i] : state.v[i - n_];
    }

    StateValues stage(std::size_t s) {
        StateValues state = begin_;
        state.t = begin_.t + h_ * tableau_.c[s];
        for (std::size_t i = 0; i < 2 * n_ && s > 0; ++i) {
            Value sum;
            for (std::size_t j = 0; j < s; ++j)
                if (tableau_.a_at(s, j) != 0.0) sum += slopes_[j][i] * tableau_.a_at(s, j);
            at(state, i) = at(state, i) + h_ * sum;
        }
        return state;
    }

    /// The first stage is where the step begins and meets the constraints; the others err.
    void slope(const StateValues& state, bool beside) {
        const kernel::Problem problem = model_.problem(state);
        const kernel::Factored factored = model_.factored(problem, beside);
        const kernel::Solved solved = factored.solve_clear(problem.Q, problem.b);
        fine_ = when_both(fine_, solved.fine);
        sizes_.push_back(factored.sizes());
        Vector both = state.v;
        both.insert(both.end(), solved.x.begin(), solved.x.end());
        slopes_.push_back(std::move(both));
    }

    Value weighted(std::span<const double> weights, std::size_t i) const {
        Value sum;
        for (std::size_t s = 0; s < weights.size(); ++s)
            if (weights[s] != 0.0) sum += slopes_[s][i] * weights[s];
        return sum;
    }

    Value noise_input(std::size_t i) {
        return {code_, code_.input(static_cast<std::uint32_t>(model_.at.count + 2 + i))};
    }

    /// As RungeKutta::error_size.
    Value error_size(StateValues& end) {
        Value worst;
        for (std::size_t i = 0; i < 2 * n_; ++i) {
            const Value noise =
                h_ * (i < n_ ? noise_input(i) + h_ * noise_input(i + n_) : noise_input(i));
            const Value scale = tolerance_ * max(max(abs(at(begin_, i)), abs(at(end, i))), 1.0) +
                                noise * noise_share;
            Value error = abs(weighted(tableau_.e, i)) * h_ / scale;
            if (!tableau_.e3.empty()) {
                // Hairer's combination, as in methods/runge_kutta.cpp.
                const Value e3 = weighted(tableau_.e3, i) * h_ / scale,
                            size = error * error + e3 * e3 * 0.01;
                error = choose(when_less(0.0, size), error * error / sqrt(size), error);
            }
            worst = max(worst, error);
        }
        return worst;
    }

    /// A row that vanishes within the step comes out with the other sign.
    void check_turned_rows(const kernel::Problem& before, const kernel::Problem& behind) {
        for (std::size_t r = 0; r < before.m; ++r) {
            Value product;
            for (std::size_t j = 0; j < n_; ++j)
                product += before.A[r * n_ + j] * behind.A[r * n_ + j];
            fine_ = when_both(fine_, when_less(0.0, product));
        }
    }

    const System& system_;
    const Tableau& tableau_;
    std::size_t n_;
    Code code_;
    ModelCode model_;
    Value h_, tolerance_;
    StateValues begin_;
    std::vector<Vector> slopes_;
    std::vector<Vector> sizes_;  // of the rows, at the stages and at the end
    Value fine_ = 1.0;
};

}  // namespace

Code step_code(const DerivedModel& details, const SmoothSystem& smooth, CodeOptions options,
               const Tableau& tableau) {
    check_step_size(details.system);
    options.clear = options.clear_of_steps;
    Code code = StepWriter(details, smooth, options, tableau).run();
    check_step_length(code.order().size());
    return code;
}

}  // namespace lacon::code
