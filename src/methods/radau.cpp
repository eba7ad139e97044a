// Radau IIA, for motions with something stiff in them: collocation at the s Radau points c_i of a
// step, the last of them its end (Hairer, Wanner II, IV.5; order 2s − 1, stiffly accurate). The
// unknowns are the accelerations a_i at these points:
//
//     v_i = v + h Σ_j A_ij a_j,   q_i = q + c_i h v + h² Σ_j (A²)_ij a_j,   a_i = f(t_i, q_i, v_i)
//
// by Newton's method with derivatives of f by differences, taken at each point: where friction
// begins to slide they grow without bound towards the begin of the step. One step needs nothing of
// those before it, so that it can begin anew at every change.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "methods/methods.hpp"
#include "methods/step_control.hpp"
#include "solve/dense/matrix/square.hpp"

namespace lacon::inline methods {

namespace {

/// The numbers of the method with s points.
struct RadauTableau {
    std::size_t s = 0;
    std::vector<double> c;  // points (s)
    Matrix A, AA;           // weights (s × s), and their square
    std::vector<double> e;  // of the error estimate, behind that of the begin (s)
    Matrix to_powers;       // a_i → coefficients of the polynomial through them (s × s)
    // Weight of the begin in the estimate: any small number will do.
    static constexpr double e0 = 0.1;

    explicit RadauTableau(std::size_t points)
        : s(points), c(points), A(points, points), AA(points, points), to_powers(points, points) {
        const std::vector<long double> x = nodes(s);
        std::vector<std::vector<long double>> power(
            s, std::vector<long double>(s, 0.0L));  // Lagrange polynomials, by powers
        for (std::size_t j = 0; j < s; ++j) {
            std::vector<long double> p{1.0L};
            for (std::size_t k = 0; k < s; ++k) {
                if (k == j) continue;
                std::vector<long double> next(p.size() + 1, 0.0L);
                for (std::size_t d = 0; d < p.size(); ++d) {
                    next[d + 1] += p[d] / (x[j] - x[k]);
                    next[d] -= p[d] * x[k] / (x[j] - x[k]);
                }
                p = std::move(next);
            }
            power[j] = p;
        }
        std::vector<std::vector<long double>> a(s, std::vector<long double>(s, 0.0L));
        for (std::size_t i = 0; i < s; ++i) {
            c[i] = static_cast<double>(x[i]);
            for (std::size_t j = 0; j < s; ++j) {
                long double sum = 0.0L;
                for (std::size_t d = s; d-- > 0;)
                    sum = (sum + power[j][d] / static_cast<long double>(d + 1)) * x[i];
                a[i][j] = sum;
                A(i, j) = static_cast<double>(sum);
                to_powers(i, j) = static_cast<double>(power[j][i]);
            }
        }
        for (std::size_t i = 0; i < s; ++i)
            for (std::size_t j = 0; j < s; ++j) {
                long double sum = 0.0L;
                for (std::size_t k = 0; k < s; ++k) sum += a[i][k] * a[k][j];
                AA(i, j) = static_cast<double>(sum);
            }
        // A second rule, of order s, that also uses the begin: its weights less those of the method
        // are −e0 l_j(0).
        for (std::size_t j = 0; j < s; ++j)
            e.push_back(static_cast<double>(-static_cast<long double>(e0) * power[j][0]));
    }

private:
    /// Zeros of P_s − P_{s−1} on [0, 1].
    static std::vector<long double> nodes(std::size_t s) {
        const auto f = [&](long double x) {
            long double before = 1.0L, now = x;
            for (std::size_t k = 1; k < s; ++k) {
                const auto n = static_cast<long double>(k);
                const long double next = ((2.0L * n + 1.0L) * x * now - n * before) / (n + 1.0L);
                before = now;
                now = next;
            }
            return now - before;
        };
        std::vector<long double> found;
        constexpr int pieces = 4000;
        for (int i = 0; i < pieces && found.size() + 1 < s; ++i) {
            long double a = -1.0L + 2.0L * i / pieces, b = -1.0L + 2.0L * (i + 1) / pieces;
            if ((f(a) < 0.0L) == (f(b) < 0.0L)) continue;
            for (int round = 0; round < 80; ++round) {
                const long double middle = 0.5L * (a + b);
                ((f(middle) < 0.0L) == (f(a) < 0.0L) ? a : b) = middle;
            }
            found.push_back(0.5L + 0.25L * (a + b));
        }
        found.push_back(1.0L);
        return found;
    }
};

const RadauTableau& tableau_for(double tolerance) {
    static const std::array<RadauTableau, 3> all{RadauTableau(3), RadauTableau(5), RadauTableau(7)};
    // Higher orders for smaller tolerances, as RADAU chooses (Hairer, Wanner II, IV.8). Not
    // critical: beside a border two orders cost about the same.
    return all[tolerance > 1e-6 ? 0 : tolerance > 1e-9 ? 1 : 2];
}

/// Where a step begins.
struct RadauBeginning {
    State state;
    std::vector<double> a;  // accelerations
    Clock time;
    bool is_first = true;  // of a motion that does not continue the one before
};

/// The collocation equations of one step, and their solution by Newton's method. `field` must
/// outlive it.
class RadauCollocation {
public:
    RadauCollocation(DenseField& field, const MethodOptions& options)
        : field_(field), options_(options), t_(tableau_for(options.tolerance)), n_(field.n()) {
        state_.q.resize(n_);
        state_.v.resize(n_);
    }

    RadauBeginning base;
    /// The next step continues the one before: its accelerations by powers of x (s × n), with x of
    /// the begin of this one and of a unit of time later.
    void go_on(const std::vector<double>& powers, double x, double per_time) {
        powers_ = powers;
        x_ = x;
        per_time_ = per_time;
    }

    const RadauTableau& tableau() const { return t_; }
    /// Where hardly anything slides, its direction changes over far less than the step goes, as on
    /// a table that moves: then only differences nearer to rounding tell how. They are coarse
    /// elsewhere, so they come second.
    bool solve(double h) {
        constexpr int levels = 3;
        for (int tried = 0; tried < levels; ++tried) {
            if (solve_once(h)) return true;
            fine_ = (fine_ + 1) % levels;
        }
        return false;
    }
    // Of the last solve.
    const std::vector<double>& accelerations() const { return a_; }  // (s × n)
    const Matrix& by_position() const { return Fq_.back(); }         // ∂f/∂q at the end
    const Matrix& by_velocity() const { return Fv_.back(); }         // ∂f/∂q' there
    double rate() const { return rate_; }                            // |∂f/∂q'| there
    const State& end() const { return state_; }

private:
    using Vector = std::vector<double>;

    /// How fast accelerations change at the begin; ahead by so little that nothing but time has
    /// moved.
    bool slope(double h, Vector& rate) {
        if (base.is_first && !options_.rate.empty()) {
            rate = options_.rate;
            return true;
        }
        const double ahead = 1e-6 * h;
        State beside = base.state;
        beside.t = base.time.after(ahead).now();
        const double moved = beside.t - base.state.t;
        if (!(moved > 0.0)) return false;
        for (std::size_t i = 0; i < n_; ++i) {
            beside.q[i] += ahead * base.state.v[i];
            beside.v[i] += ahead * base.a[i];
        }
        rate.resize(n_);
        if (!field_.acceleration(beside, rate)) return false;
        for (std::size_t i = 0; i < n_; ++i) rate[i] = (rate[i] - base.a[i]) / ahead;
        if (base.is_first)
            for (const Vector& known : options_.still) hold(known, rate);
        return true;
    }

    /// MethodOptions::still.
    void hold(const Vector& known, Vector& rate) {
        const Vector way = known.size() > n_ + 1 ? turning(known) : known;
        double lacks = known[n_], share = 0.0;
        for (std::size_t i = 0; i < n_; ++i) {
            lacks -= known[i] * rate[i];
            share += known[i] * way[i];
        }
        for (std::size_t i = 0; i < n_ && share != 0.0; ++i) rate[i] += lacks / share * way[i];
    }

    /// How accelerations change with the direction of sliding. The speed is so low that nothing
    /// else changes, and far above rounding.
    Vector turning(const Vector& known) {
        constexpr double speed = 1e-7, angle = 1e-3;
        const double *along = known.data() + n_ + 1, *across = along + n_;
        Vector up(n_), down(n_);
        State beside = base.state;
        for (const double side : {angle, -angle}) {
            for (std::size_t i = 0; i < n_; ++i)
                beside.v[i] = base.state.v[i] + speed * (along[i] + side * across[i]);
            if (!field_.acceleration(beside, side > 0.0 ? up : down)) return known;
        }
        for (std::size_t i = 0; i < n_; ++i) up[i] = (up[i] - down[i]) / (2.0 * angle);
        return up;
    }

    void place(std::size_t i, double h) {
        state_.t = base.time.after(t_.c[i] * h).now();
        for (std::size_t k = 0; k < n_; ++k) {
            double first = 0.0, second = 0.0;
            for (std::size_t j = 0; j < t_.s; ++j) {
                first += t_.A(i, j) * a_[j * n_ + k];
                second += t_.AA(i, j) * a_[j * n_ + k];
            }
            state_.v[k] = base.state.v[k] + h * first;
            state_.q[k] = base.state.q[k] + h * (t_.c[i] * base.state.v[k] + h * second);
        }
    }

    /// How far to go for a difference, where the step goes so far.
    static double part_of(double way) {
        constexpr double least = 1e-280;  // a small part of less has no digits, or is none
        return way > least ? 1e-4 * way : 1e-8;
    }

    static double farthest(const Vector& to, const Vector& from) {
        double way = 0.0;
        for (std::size_t k = 0; k < to.size(); ++k) way = std::max(way, std::abs(to[k] - from[k]));
        return way;
    }

    /// ∂f/∂q and ∂f/∂q' at the point in `state_`, by central differences of a small part of how far
    /// the step goes.
    bool differentiate(std::size_t i, double q_part, double v_part) {
        Vector up(n_), down(n_);
        for (const bool velocity : {false, true}) {
            Matrix& J = (velocity ? Fv_ : Fq_)[i];
            J = Matrix(n_, n_);
            for (std::size_t k = 0; k < n_; ++k) {
                double& x = velocity ? state_.v[k] : state_.q[k];
                // Not below 1e-13 of the value: a difference of some hundred last places.
                const double kept = x,
                             d = std::max(velocity ? v_part : q_part, 1e-13 * std::abs(kept));
                x = kept + d;
                const bool above = field_.acceleration(state_, up);
                const double high = x;
                x = kept - d;
                const bool below = field_.acceleration(state_, down);
                const double width = high - x;
                x = kept;
                if (!above || !below) return false;
                for (std::size_t r = 0; r < n_; ++r) J(r, k) = (up[r] - down[r]) / width;
            }
        }
        return true;
    }

    /// Newton's method for the accelerations of all points, from a straight line through those near
    /// the begin.
    bool solve_once(double h) {
        Vector rate;
        const std::size_t s = t_.s, N = s * n_;
        a_.assign(N, 0.0);
        const bool goes_on = !base.is_first && !powers_.empty();
        const bool known = !goes_on && slope(h, rate);
        for (std::size_t i = 0; i < s; ++i)
            for (std::size_t k = 0; k < n_; ++k) {
                double& a = a_[i * n_ + k];
                if (!goes_on) a = base.a[k] + (known ? t_.c[i] * h * rate[k] : 0.0);
                else
                    for (std::size_t d = s; d-- > 0;)
                        a = a * (x_ + t_.c[i] * h * per_time_) + powers_[d * n_ + k];
            }
        Fq_.resize(s);
        Fv_.resize(s);
        constexpr int most_rounds = 25;
        double last = INFINITY;
        bool fresh = false;
        Vector f(n_), G(N);
        for (int round = 0; round < most_rounds; ++round) {
            const bool derive = !fresh;
            for (std::size_t i = 0; i < s; ++i) {
                place(i, h);
                if (!field_.acceleration(state_, f)) return false;
                for (std::size_t k = 0; k < n_; ++k) G[i * n_ + k] = a_[i * n_ + k] - f[k];
                constexpr double finer[] = {1.0, 1e-3, 1e-6};
                const double v_part = finer[fine_] * part_of(farthest(state_.v, base.state.v));
                if (derive && !differentiate(i, part_of(farthest(state_.q, base.state.q)), v_part))
                    return false;
            }
            if (derive) factor(h);
            fresh = true;
            const SquareSolution step = solve_square(newton_, G);
            if (!(step.determinant != 0.0)) return false;
            double size = 0.0;
            for (std::size_t i = 0; i < N; ++i) {
                a_[i] -= step.x[i];
                const double noise = field_.noise.empty() ? 0.0 : field_.noise[n_ + i % n_];
                const double scale =
                    options_.tolerance * error_scale(base.state.v[i % n_]) / h + noise;
                size = std::max(size, std::abs(step.x[i]) / scale);
            }
            if (!std::isfinite(size)) return false;
            // Where it gets no better, rounding is reached: that of directions, with hardly any
            // speed, is far above that of the motion, and the error estimate says whether it
            // matters.
            constexpr double small = 1e-3, rounding = 1e4;  // tolerances
            if (size <= small || (size <= rounding && size > 0.3 * last && round >= 2))
                return reaches_end(h);
            // Slower than by a factor of ten a round: the Jacobian is worth computing again.
            if (size > 0.1 * last) fresh = false;
            // It diverges; the first rounds may grow.
            if (size > 10.0 * last && round > 3) return false;
            last = size;
        }
        return false;
    }

    bool reaches_end(double h) {
        place(t_.s - 1, h);
        const auto finite = [](double x) { return std::isfinite(x); };
        return std::all_of(state_.q.begin(), state_.q.end(), finite) &&
               std::all_of(state_.v.begin(), state_.v.end(), finite);
    }

    void factor(double h) {
        const std::size_t s = t_.s;
        newton_ = Matrix(s * n_, s * n_);
        rate_ = 0.0;
        for (std::size_t i = 0; i < s; ++i)
            for (std::size_t r = 0; r < n_; ++r) {
                double row = 0.0;
                for (std::size_t k = 0; k < n_; ++k) {
                    row += std::abs(Fv_[i](r, k));
                    for (std::size_t j = 0; j < s; ++j)
                        newton_(i * n_ + r, j * n_ + k) = (i == j && r == k ? 1.0 : 0.0) -
                                                          h * t_.A(i, j) * Fv_[i](r, k) -
                                                          h * h * t_.AA(i, j) * Fq_[i](r, k);
                }
                if (i + 1 == s) rate_ = std::max(rate_, row);
            }
    }

    DenseField& field_;
    MethodOptions options_;
    const RadauTableau& t_;
    std::size_t n_;
    State state_;
    Vector a_;
    std::vector<Matrix> Fq_, Fv_;
    Matrix newton_;
    double rate_ = 0.0;
    int fine_ = 0;  // how much nearer to rounding differences are
    Vector powers_;
    double x_ = 0.0, per_time_ = 0.0;
};

class Radau : public Method {
public:
    Radau(DenseField& field, const MethodOptions& options)
        : field_(field), tolerance_(options.tolerance), step_(field, options) {
        end_.q.resize(field.n());
        end_.v.resize(field.n());
    }

    bool begin(const Base& base, bool fresh) override {
        next_.state = base.state;
        next_.time = base.time;
        next_.a.resize(field_.n());
        if (!field_.acceleration(base.state, next_.a)) return false;
        if (fresh) control_ = {first_step(), 1.0, false};
        next_.is_first = fresh;
        taken_up_ = false;
        return true;
    }

    bool advance(double limit) override {
        if (!taken_up_) {
            const Clock& before = step_.base.time;
            if (next_.is_first) powers_.clear();
            else if (!powers_.empty())
                step_.go_on(powers_, next_.time.since(before) / whole_, 1.0 / whole_);
            step_.base = next_;
        }
        taken_up_ = true;
        for (;;) {
            length_ = whole_ = std::min(control_.step, limit);
            const Clock& begin = step_.base.time;
            if (!(begin.after(length_).since(begin) > 0.0)) return false;
            if (field_.stopped) return false;
            const bool solved = step_.solve(length_);
            if (solved) finish();
            double error = solved ? error_size() : INFINITY;
            if (!(error <= 1.0) && learns_noise(solved)) {
                if (!solved) continue;
                error = error_size();
            }
            if (error <= 1.0) {
                control_.accept(length_, error, order());
                return true;
            }
            ++rejected;
            if (solved) control_.reject(length_, error, order());
            else control_.refuse(length_);
        }
    }

    void at(double tau, State& out) const override {
        if (tau == whole_) {
            out.q = end_.q;
            out.v = end_.v;
            return;
        }
        const std::size_t n = field_.n(), s = step_.tableau().s;
        const State& base = step_.base.state;
        out.q.resize(n);
        out.v.resize(n);
        const double x = tau / whole_;
        for (std::size_t i = 0; i < n; ++i) {
            double first = 0.0, second = 0.0;  // ∫ a and ∫∫ a, over the step
            for (std::size_t d = s; d-- > 0;) {
                const auto k = static_cast<double>(d);
                first = (first + powers_[d * n + i] / (k + 1.0)) * x;
            }
            for (std::size_t d = s; d-- > 0;) {
                const auto k = static_cast<double>(d);
                second = second * x + powers_[d * n + i] / ((k + 1.0) * (k + 2.0));
            }
            out.v[i] = base.v[i] + whole_ * first;
            out.q[i] = base.q[i] + tau * base.v[i] + tau * tau * second;
        }
    }

    bool can_retake() const override { return true; }
    std::size_t adaptive_order() const override { return static_cast<std::size_t>(order()); }
    double stiffness() const override { return std::max(length_, control_.step) * step_.rate(); }
    std::vector<double> memory() const override { return control_.memory(); }
    void recall(const std::vector<double>& memory) override {
        control_ = StepControl::recalled(memory);
    }

private:
    using Vector = std::vector<double>;
    int order() const { return static_cast<int>(step_.tableau().s) + 1; }  // of the estimate

    double first_step() const {
        double fastest = 0.0;
        for (std::size_t i = 0; i < field_.n(); ++i) {
            // In large units a motion that begins at rest is soon fast, beside its size q as √(q
            // q''): some of that counts as its velocity, lest the first step be too short for the
            // clock.
            const double a = std::abs(next_.a[i]),
                         soon = 1e-6 * std::sqrt(a) * std::sqrt(error_scale(next_.state.q[i]));
            fastest = std::max(fastest, a / std::max(error_scale(next_.state.v[i]), soon));
            fastest = std::max(fastest, std::abs(next_.state.v[i]) / error_scale(next_.state.q[i]));
        }
        const double part = std::pow(tolerance_, 1.0 / order());
        // A tenth, for safety; a state at rest gets 100 s times that. Not critical: the step
        // adapts.
        return 0.1 * part / std::max(fastest, 1e-3);
    }

    bool learns_noise(bool has_end) {
        const State& base = step_.base.state;
        State from = base, to = has_end ? end_ : base;
        from.t = step_.base.time.now();
        to.t = step_.base.time.after(length_).now();
        for (std::size_t i = 0; i < to.q.size() && !has_end; ++i) to.q[i] += length_ * base.v[i];
        return field_.learns_noise(from, to);
    }

    void finish() {
        end_ = step_.end();
        const RadauTableau& t = step_.tableau();
        const std::size_t n = field_.n();
        powers_.assign(t.s * n, 0.0);
        for (std::size_t d = 0; d < t.s; ++d)
            for (std::size_t j = 0; j < t.s; ++j)
                for (std::size_t k = 0; k < n; ++k)
                    powers_[d * n + k] += t.to_powers(d, j) * step_.accelerations()[j * n + k];
    }

    /// The largest error over its tolerance: the difference to a rule that uses the begin too, less
    /// what is stiff in it, by (I − e0 h ∂f/∂q' − (e0 h)² ∂f/∂q)⁻¹ at the end.
    double error_size() {
        const RadauTableau& t = step_.tableau();
        const State& base = step_.base.state;
        const std::size_t n = field_.n();
        const double h = whole_, part = RadauTableau::e0 * h;
        Matrix S(n, n);
        const Matrix &Fq = step_.by_position(), &Fv = step_.by_velocity();
        for (std::size_t r = 0; r < n; ++r)
            for (std::size_t k = 0; k < n; ++k)
                S(r, k) = (r == k ? 1.0 : 0.0) - part * Fv(r, k) - part * part * Fq(r, k);
        Vector raw(n);
        for (std::size_t k = 0; k < n; ++k) {
            raw[k] = RadauTableau::e0 * step_.base.a[k];
            for (std::size_t j = 0; j < t.s; ++j)
                raw[k] += t.e[j] * step_.accelerations()[j * n + k];
            raw[k] *= h;
        }
        const SquareSolution filtered = solve_square(S, raw);
        if (!(filtered.determinant != 0.0)) return INFINITY;
        double worst = 0.0, gain = RadauTableau::e0;
        for (const double weight : t.e) gain += std::abs(weight);
        gain = noise_share * std::max(gain, 1.0);  // as Tableau::noise_gain
        for (std::size_t k = 0; k < n; ++k) {
            const double noise_v = field_.noise.empty() ? 0.0 : gain * h * field_.noise[n + k];
            const double v_scale =
                tolerance_ * std::max(error_scale(base.v[k]), error_scale(end_.v[k])) + noise_v;
            const double q_scale =
                tolerance_ * std::max(error_scale(base.q[k]), error_scale(end_.q[k])) + h * noise_v;
            const double e = std::abs(filtered.x[k]);
            const double error = std::max(e / v_scale, h * e / q_scale);
            if (!(error <= worst)) worst = error;
        }
        return worst;
    }

    DenseField& field_;
    double tolerance_;
    RadauCollocation step_;
    RadauBeginning next_;
    bool taken_up_ = true;
    StepControl control_;
    double whole_ = 0.0;  // the step as it was taken, wherever it is made to end
    State end_;
    Vector powers_;
};

}  // namespace

std::unique_ptr<Method> make_radau(DenseField& field, const MethodOptions& options) {
    return std::make_unique<Radau>(field, options);
}

}  // namespace lacon::methods
