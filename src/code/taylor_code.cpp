// Order k of the motion, with the one factorization of order 0 (theory 7, last):
//     M₀ a_k − A₀ᵀ λ_k = Q_k − Σ_{j≥1} (M_j a_{k−j} − A_jᵀ λ_{k−j})
//     A₀ a_k = b_k − Σ_{j≥1} A_j a_{k−j}
// The end of the step is checked against its middle and its start, then projected.
#include "code/taylor_code.hpp"

#include "code/row_lengths.hpp"
#include "code/series_code.hpp"
#include "methods/taylor_control.hpp"
#include "methods/taylor_recurrence.hpp"

namespace lacon::inline code {

using kernel::Code;
using kernel::Value;

namespace {

using Vector = std::vector<Value>;
using Of = SeriesCode::Of;

class TaylorWriter {
public:
    TaylorWriter(const DerivedModel& details, const SmoothSystem& smooth,
                 const CodeOptions& options, std::size_t order)
        : details_(details),
          smooth_(smooth),
          options_(options),
          at_(details, smooth),
          n_(details.system.coordinate_count),
          m_(details.system.row_count()),
          p_(order),
          series_(details, smooth, options) {
        series_.begin = &result_.begin;
        result_.order = order;
        for (Code* code : {&result_.begin, &result_.next, &result_.sizes, &result_.end}) {
            code->series.top = static_cast<std::uint32_t>(order + 1);
            code->input_count = static_cast<std::uint32_t>(at_.count + 2);
            code->most_nodes = most_step_nodes;
        }
    }

    TaylorCode run() {
        write_begin();
        write_next();
        write_sizes();
        write_end();
        place_features();
        const Code* readers[] = {&result_.sizes, &result_.end};
        series_.add_stores(latest_, readers, result_.next);
        for (std::size_t i = 0; i < n_; ++i) {
            result_.q.push_back(series_.place(series_.q(i), SeriesCode::Layout::forwards));
            result_.v.push_back(series_.place(series_.v(i), SeriesCode::Layout::forwards));
        }
        result_.slots = series_.places();
        const auto inputs = static_cast<std::uint32_t>(result_.begin.outputs.size());
        for (Code* code : {&result_.next, &result_.sizes, &result_.end}) code->input_count = inputs;
        return std::move(result_);
    }

private:
    std::size_t length_cell() const { return at_.count; }
    std::size_t tolerance_cell() const { return at_.count + 1; }
    static Value input(std::size_t i, Code& code) {
        return {code, code.input(static_cast<std::uint32_t>(i))};
    }

    // ---- order 0, with the only factorization of the series

    void write_begin() {
        Code& code = result_.begin;
        for (std::size_t i = 0; i < at_.count + 2; ++i)
            code.outputs.push_back(code.input(static_cast<std::uint32_t>(i)));
        const StateValues state = input_state(at_, n_, code);
        series_.first_order(state, code);
        series_.early_order(Of::positions, 1, state.v, false);
        kernel::Problem problem = first_problem(code);
        own_orders(series_.early_order(Of::positions, 2, Vector(n_), true),
                   series_.early_order(Of::rest, 1, Vector(n_), true), 2.0, 1.0, problem.b);
        ModelCode model(details_, smooth_, options_, code);
        factored_.emplace(model.factored(problem));
        const kernel::Solved solved = factored_->solve_clear(problem.Q, problem.b);
        Vector second;
        for (std::size_t i = 0; i < n_; ++i) {
            second.push_back(solved.x[i] * 0.5);
            series_.set_early(series_.a(i), 0, solved.x[i]);
        }
        for (std::size_t r = 0; r < m_; ++r)
            series_.set_early(series_.lambda(r), 0, solved.lambda[r]);
        series_.early_order(Of::positions, 2, second, false);
        series_.early_order(Of::rest, 1, solved.x, false);
        A_ = problem.A;
        fine_ = solved.fine;
    }

    kernel::Problem first_problem(Code& code) const {
        kernel::Problem p{n_, m_, Vector(n_ * n_), Vector(n_), Vector(m_ * n_), Vector(m_),
                          {}, {}, options_.weight};
        for (std::size_t i = 0; i < m_; ++i) p.floor.push_back(input(at_.floors + i, code));
        each_entry([&](const SeriesCode::Part& part, Entry::Target target, std::size_t i,
                       std::size_t j, SeriesCode::Slot slot) {
            const auto row = static_cast<std::size_t>(part.element.row);
            const Value& value = series_.early(slot, 0);
            switch (target) {
                case Entry::Target::mass:
                    p.M[i * n_ + j] += value;
                    if (i != j) p.M[j * n_ + i] += value;
                    break;
                case Entry::Target::mass_single: p.M[i * n_ + j] += value; break;
                case Entry::Target::force: p.Q[i] += value; break;
                case Entry::Target::row: p.A[row * n_ + j] += value; break;
                case Entry::Target::right: p.b[row] += value; break;
                default: break;
            }
        });
        return p;
    }

    template <class Take>
    void each_entry(const Take& take) const {
        for (const SeriesCode::Part& part : series_.parts()) {
            const std::uint32_t* leaf = details_.system.leaves.data() + part.element.leaves;
            for (std::size_t o = 0; o < part.entries.size(); ++o) {
                const Entry entry = part.smooth.series_entries[o];
                take(part, entry.target, leaf[entry.i], leaf[entry.j], part.entries[o]);
            }
        }
    }

    /// The rows that are used at their own order, from φ without its leading term.
    void own_orders(const Vector& positions, const Vector& rest, const Value& twice,
                    const Value& once, Vector& r) const {
        for (const SeriesCode::Part& part : series_.parts()) {
            if (!part.smooth.own_order) continue;
            const auto row = static_cast<std::size_t>(part.element.row);
            const bool is_position = details_.system.levels[row] == Level::position;
            const Value phi =
                part.residual_varies ? (is_position ? positions : rest)[part.residual] : Value();
            r[row] = -phi * (is_position ? twice : once);
        }
    }

    // ---- order k

    /// An element's part of the right-hand sides, for add_order.
    struct Terms {
        TaylorWriter& writer;
        Code& code;
        const SeriesCode::Part& part;
        SeriesCode::Slot slot;  // of the entry
        Vector &f, &r;

        Value term() const { return writer.series_.coefficient(slot, 0, code); }
        Value acceleration(std::uint32_t j) const { return lower(writer.series_.a(leaf(j))); }
        Value multiplier() const { return lower(writer.series_.lambda(row())); }
        void to_force(std::uint32_t i, int sign, const Value& x) { add(f[leaf(i)], sign, x); }
        void to_row(int sign, const Value& x) { add(r[row()], sign, x); }

    private:
        std::size_t leaf(std::uint32_t i) const {
            return writer.details_.system.leaves[part.element.leaves + i];
        }
        std::size_t row() const { return static_cast<std::size_t>(part.element.row); }
        static void add(Value& sum, int sign, const Value& x) {
            if (sign > 0) sum += x;
            else sum -= x;
        }
        Value lower(SeriesCode::Slot other) const {  // Σ_{j≥1} series_j other_{k−j}
            SeriesCode& series = writer.series_;
            if (series.early(other, 0).is(0.0)) return Value();
            return series.coefficient(slot, 0, code) *
                       series.carried(series.early(other, 0), code) +
                   series.inner(slot, other, 0, code);
        }
    };

    void write_next() {
        Code& code = result_.next;
        const Value once(code, code.order_number(1)),
            twice = once * Value(code, code.order_number(2));
        Vector f(n_), r(m_);
        for (const SeriesCode::Part& part : series_.parts())
            for (std::size_t o = 0; o < part.entries.size(); ++o)
                if (series_.varies(part.entries[o]))
                    add_order(part.smooth.series_entries[o], part.smooth.own_order,
                              Terms{*this, code, part, part.entries[o], f, r});
        own_orders(series_.order(Of::positions, Vector(n_), code),
                   series_.order(Of::rest, Vector(n_), code), twice, once, r);
        const auto carry = [&](const Value& value) { return series_.carried(value, code); };
        const kernel::Solved solved = factored_->moved(carry).solve_unchecked(f, r);
        Vector q, v;
        for (std::size_t i = 0; i < n_; ++i) {
            v.push_back(solved.x[i] / once);
            q.push_back(solved.x[i] / twice);
        }
        const Vector positions = series_.order(Of::positions, q, code),
                     rest = series_.order(Of::rest, v, code);
        for (SeriesCode::Slot slot = 0; slot < series_.program().slot_count(); ++slot)
            if (series_.varies(slot) && slot != series_.t())
                latest_[slot] = series_.early_orders(slot) == 3
                                    ? SeriesCode::Latest{2, positions[slot]}
                                    : SeriesCode::Latest{1, rest[slot]};
        for (std::size_t i = 0; i < n_; ++i) latest_[series_.a(i)] = {0, solved.x[i]};
        for (std::size_t i = 0; i < m_; ++i) latest_[series_.lambda(i)] = {0, solved.lambda[i]};
    }

    // ---- the step

    Value coefficient(SeriesCode::Slot series, std::size_t order, Code& code) {
        return {code, code.coefficient(series_.place(series, SeriesCode::Layout::forwards),
                                       static_cast<std::uint32_t>(order))};
    }

    void write_sizes() {
        Code& code = result_.sizes;
        Vector weights;
        for (SeriesCode::Slot s = 0; s < 2 * n_; ++s)
            weights.push_back(Value(1.0) / max(abs(coefficient(s, 0, code)), 1.0));
        for (std::size_t k = TaylorControl::first_size(p_); k <= p_; ++k) {
            Value size;
            for (SeriesCode::Slot s = 0; s < 2 * n_; ++s)
                size = max(size, abs(coefficient(s, k, code)) * weights[s]);
            code.outputs.push_back(size.id_in(code));
        }
    }

    StateValues state_at(const Value& tau, Code& code) {
        StateValues state;
        const auto polynomial = [&](SeriesCode::Slot series, std::size_t top) {
            Value sum = coefficient(series, top, code);
            for (std::size_t k = top; k-- > 0;) sum = sum * tau + coefficient(series, k, code);
            return sum;
        };
        for (std::size_t i = 0; i < n_; ++i) {
            state.q.push_back(polynomial(series_.q(i), p_ + 1));
            state.v.push_back(polynomial(series_.v(i), p_));
        }
        state.t = input(at_.t, code) + tau;
        return state;
    }

    void write_end() {
        Code& code = result_.end;
        const auto carry = [&](const Value& value) { return series_.carried(value, code); };
        const Value h = input(length_cell(), code);
        ModelCode model(details_, smooth_, options_, code);
        const kernel::Problem amid = model.problem(state_at(h * 0.5, code));
        const kernel::Factored amid_factored = model.factored(amid);
        StateValues state = state_at(h, code);
        const kernel::Problem problem = model.problem(state);
        const kernel::Factored factored = model.factored(problem);
        const kernel::Solved solved = factored.solve_clear(problem.Q, problem.b);
        Vector before;
        for (const Value& value : A_) before.push_back(carry(value));
        Value fine = when_both(carry(fine_), solved.fine);
        for (const Value& holds :
             {amid_factored.regular(), amid_factored.continues(before), factored.continues(amid.A),
              keep_length(
                  {squares_of(before, n_), squares_of(amid.A, n_), squares_of(problem.A, n_)},
                  8.0)})
            fine = when_both(fine, holds);
        fine = when_both(fine, keeps_promise(h, state, solved.x, code));
        write_step_end(details_.system, model, {state, problem, factored, 0.0, fine}, code);
    }

    void place_features() {
        for (const Feature& feature : features_of(series_.program())) {
            if (!hides(feature.kind)) continue;
            const bool varying = feature.kind == Feature::Kind::power && feature.known == 0.0;
            const double exponent =
                varying ? series_.early(feature.exponent, 0).number() : feature.known;
            result_.features.push_back({feature.kind, series_.keep(feature.operand), exponent});
        }
    }

    /// As Taylor::continues.
    Value keeps_promise(const Value& h, const StateValues& state, const Vector& found, Code& code) {
        Value holds = 1.0;
        const Value share = input(tolerance_cell(), code) / h;
        for (std::size_t i = 0; i < n_; ++i) {
            const auto promise = TaylorControl::promise(p_, h, [&](std::size_t k) {
                return coefficient(series_.v(i), k + 1, code) * static_cast<double>(k + 1);
            });
            const Value allowed = promise.allowed(found[i], share, max(abs(state.v[i]), 1.0));
            holds = when_both(holds, when_less_equal(abs(found[i] - promise.value), allowed));
        }
        return holds;
    }

    const DerivedModel& details_;
    const SmoothSystem& smooth_;
    const CodeOptions& options_;
    KernelInputs at_;
    std::size_t n_, m_, p_;
    SeriesCode series_;
    TaylorCode result_;
    std::optional<kernel::Factored> factored_;  // in `begin`
    Vector A_;                                  // likewise
    Value fine_;
    std::map<SeriesCode::Slot, SeriesCode::Latest> latest_;
};

}  // namespace

TaylorCode taylor_code(const DerivedModel& details, const SmoothSystem& smooth, CodeOptions options,
                       std::size_t order) {
    check_step_size(details.system);
    options.clear = options.clear_of_steps;
    TaylorCode code = TaylorWriter(details, smooth, options, order).run();
    check_step_length(code.next.order().size() + code.end.order().size());
    return code;
}

}  // namespace lacon::code
