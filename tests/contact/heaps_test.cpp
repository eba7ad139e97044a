// Heaps of disks that fall into a box: all of them come to rest, or end with the reason why the law
// of contact has no answer. LACON_HEAPS=200 tries so many instead of the few of every test run,
// with up to 60 disks, and prints a line for each; LACON_HEAPS_FROM=100 begins with that number.

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <random>

#include "contact_tests.hpp"

namespace lacon::contacts {
namespace {

/// A random heap; by its number alone the same on every machine.
class Heap {
public:
    Heap(std::uint64_t number, int most) : engine_(number) {
        const int count = 4 + static_cast<int>(unit() * (most - 3));
        rough_ = unit() < 0.5;
        friction_ = std::round(uniform(2.0, 6.0)) / 10.0;
        restitution_ = unit() < 0.5 ? 0.0 : 0.5;
        const int across = std::max(2, static_cast<int>(std::sqrt(count) * uniform(0.8, 1.6)));
        width_ = 1.15 * across;
        for (int i = 0; i < count; ++i) {
            radius_.push_back(uniform(0.3, 0.5));
            mass_.push_back(4.0 * radius_.back() * radius_.back());
            x_.push_back(0.575 + 1.15 * (i % across) + uniform(-0.07, 0.07));
            y_.push_back(0.6 + 1.1 * (i / across) + uniform(-0.04, 0.04));
        }
    }

    std::size_t count() const { return mass_.size(); }
    bool is_rough() const { return rough_; }
    std::string about() const {
        return fmt::format("{} disks, {}, restitution {}", count(),
                           rough_ ? fmt::format("friction {}", friction_) : "no friction",
                           restitution_);
    }

    /// Drag, so that smooth disks too come to rest.
    std::string model() {
        const std::string n = std::to_string(count());
        std::string text =
            fmt::format("param mu = {}, e = {}, width = {}\n", friction_, restitution_, width_);
        for (std::size_t i = 0; i < count(); ++i)
            text += fmt::format("param r[{0}] = {1}, m[{0}] = {2}\n", i + 1, radius_[i], mass_[i]);
        const auto all = [&](const std::string& line) {
            text += line + " for i in 1.." + n + "\n";
        };
        text += "coord x[1.." + n + "], y[1.." + n + "]" + (rough_ ? ", th[1.." + n + "]\n" : "\n");
        const std::string turning = rough_ ? " + r[i]^2*th[i]'^2/2" : "";
        all("let P[i] = (x[i], y[i])");
        all("kinetic m[i]*(dot(P[i]', P[i]')" + turning + ")/2");
        all("dissipation m[i]*(dot(P[i]', P[i]')" + turning + ")/2");
        all("potential 9.81*m[i]*y[i]");
        text +=
            "let across(d) = (-d.y, d.x)/norm(d)\n"
            "let slide(i, j) = dot(across(P[j] - P[i]), P[j]' - P[i]')";
        text += rough_ ? " - r[i]*th[i]' - r[j]*th[j]'\n" : "\n";
        all(contact("floor[i]: y[i] >= r[i]", "x[i]' + r[i]*th[i]'"));
        all(contact("left[i]: x[i] >= r[i]", "y[i]' - r[i]*th[i]'"));
        all(contact("right[i]: x[i] <= width - r[i]", "y[i]' + r[i]*th[i]'"));
        for (std::size_t i = 1; i <= count(); ++i)
            for (std::size_t j = i + 1; j <= count(); ++j)
                text +=
                    contact(fmt::format("t{0}_{1}: norm(P[{1}] - P[{0}]) >= r[{0}] + r[{1}]", i, j),
                            fmt::format("slide({}, {})", i, j)) +
                    "\n";
        for (std::size_t i = 0; i < count(); ++i)
            text += fmt::format("start x[{0}] = {1}, y[{0}] = {2}, x[{0}]' = {3}, y[{0}]' = {4}\n",
                                i + 1, x_[i], y_[i], uniform(-1.0, 1.0), uniform(-1.0, 1.0));
        return text;
    }

    /// Kinetic and potential energy at a row of a motion.
    double energy(const Motion& motion, std::size_t row) const {
        double sum = 0.0;
        for (std::size_t i = 0; i < count(); ++i) {
            const auto at = [&](const char* name, const char* rate) {
                return motion.column(fmt::format("{}[{}]{}", name, i + 1, rate))[row];
            };
            const double turn = rough_ ? radius_[i] * at("th", "'") : 0.0;
            sum += mass_[i] * (0.5 * (std::pow(at("x", "'"), 2) + std::pow(at("y", "'"), 2)) +
                               0.25 * turn * turn + 9.81 * at("y", ""));
        }
        return sum;
    }

private:
    double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
    double uniform(double low, double high) {
        return std::round((low + (high - low) * unit()) * 1e4) / 1e4;
    }
    std::string contact(const std::string& row, const std::string& slip) const {
        return "constraint " + row + (restitution_ > 0.0 ? " restitution e" : "") +
               (rough_ ? " friction mu slip " + slip : "");
    }

    std::mt19937_64 engine_;
    bool rough_ = false;
    double friction_ = 0.0, restitution_ = 0.0, width_ = 0.0;
    std::vector<double> radius_, mass_, x_, y_;
};

bool is_reason(Outcome outcome) {
    return outcome == Outcome::undetermined || outcome == Outcome::several ||
           outcome == Outcome::no_force || outcome == Outcome::conflict;
}

void expect_no_growth(const Heap& heap, const Motion& motion) {
    const double first = heap.energy(motion, 0);
    double last = first;
    for (std::size_t k = 1; k < motion.column("t").size(); ++k) {
        const double now = heap.energy(motion, k);
        // By rounding, and by what an impact is said to have added (Kane's paradox).
        EXPECT_LE(now - last, 1e-9 * first + motion.summary.contact.gained) << k;
        last = now;
    }
}

/// At rest the forces of constraint are the opposite of the others.
void expect_balance(const Mechanism& mechanism, const Motion& motion) {
    State state = motion.summary.final;
    for (double& v : state.v) {
        EXPECT_LE(std::abs(v), 1e-6);
        v = 0.0;
    }
    const Evaluation rest = mechanism.evaluate(state);
    ASSERT_TRUE(rest.status) << rest.status.message;
    double largest = 0.0, off = 0.0;
    for (std::size_t i = 0; i < rest.Q.size(); ++i) {
        double sum = rest.Q[i] + rest.solution.constraint_force[i];
        if (!rest.solution.nonideal_force.empty()) sum += rest.solution.nonideal_force[i];
        largest = std::max(largest, std::abs(rest.Q[i]));
        off = std::max(off, std::abs(sum));
    }
    EXPECT_LE(off, 1e-9 * largest);
}

void try_heap(std::uint64_t number, int most, bool tells) {
    Heap heap(number, most);
    SCOPED_TRACE(fmt::format("heap {}: {}", number, heap.about()));
    const Mechanism mechanism = Mechanism::parse(heap.model());
    const double end = heap.is_rough() ? 15.0 : 40.0;
    const std::clock_t begin = std::clock();
    const Motion motion = run(mechanism, {.end = end, .every = end / 400.0});
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    if (tells)
        fmt::print("heap {}: {}: {}; t = {:.4g}, {} events, {} modes, {:.1f} s\n", number,
                   heap.about(), motion.status ? "rest" : motion.status.message,
                   motion.summary.final.t, motion.summary.events.size(),
                   motion.summary.contact.modes, seconds);
    std::fflush(stdout);
    expect_no_growth(heap, motion);
    if (!motion.status) {
        EXPECT_TRUE(is_reason(motion.status.outcome)) << motion.status.message;
        EXPECT_FALSE(motion.status.names.empty());
        return;
    }
    expect_balance(mechanism, motion);
}

/// Six disks that touch each other in eleven places, all at rest but the second, which turns, and
/// the sixth, which rolls on it.
Mechanism wedged_disks() {
    return Mechanism::parse(R"(
param mu = 0.4, width = 3.24
param r[1] = 0.3994, r[2] = 0.4657, r[3] = 0.345, r[4] = 0.4951, r[5] = 0.4036, r[6] = 0.3198
coord x[1..6], y[1..6], th[1..6]
let P[i] = (x[i], y[i]) for i in 1..6
kinetic 2*r[i]^2*(dot(P[i]', P[i]') + r[i]^2*th[i]'^2/2) for i in 1..6
potential 9.81*4*r[i]^2*y[i] for i in 1..6
let across(d) = (-d.y, d.x)/norm(d)
let slide(i, j) = dot(across(P[j] - P[i]), P[j]' - P[i]') - r[i]*th[i]' - r[j]*th[j]'
constraint floor[i]: y[i] >= r[i] friction mu slip x[i]' + r[i]*th[i]' for i in 1..3
constraint left: x[1] >= r[1] friction mu slip y[1]' - r[1]*th[1]'
constraint right: x[3] <= width - r[3] friction mu slip y[3]' + r[3]*th[3]'
constraint t14: norm(P[4] - P[1]) >= r[1] + r[4] friction mu slip slide(1, 4)
constraint t23: norm(P[3] - P[2]) >= r[2] + r[3] friction mu slip slide(2, 3)
constraint t24: norm(P[4] - P[2]) >= r[2] + r[4] friction mu slip slide(2, 4)
constraint t25: norm(P[5] - P[2]) >= r[2] + r[5] friction mu slip slide(2, 5)
constraint t26: norm(P[6] - P[2]) >= r[2] + r[6] friction mu slip slide(2, 6)
constraint t45: norm(P[5] - P[4]) >= r[4] + r[5] friction mu slip slide(4, 5)
)");
}

/// Enumerated by an independent mixed-integer program: turning forward, no forces satisfy the law
/// (the disk screws itself into its wedge); turning backward, one motion does.
TEST(Heaps, DiskThatTurnsInItsWedgeHasNoForceOneWayAndOneMotionTheOther) {
    const Mechanism mechanism = wedged_disks();
    State state{0.0,
                {0.3994, 2.0933354816383605, 2.895, 1.1953848090592896, 1.9334990611924834,
                 2.6894500510282286, 0.3994, 0.4657, 0.345, 0.8074912076323701, 1.3201792617138515,
                 0.9772248480388143, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
                std::vector<double>(18, 0.0)};
    for (const double turn : {1.0, -1.0}) {
        state.v[13] = turn;
        state.v[17] = -turn * 0.4657 / 0.3198;
        const Evaluation at = mechanism.evaluate(state);
        EXPECT_EQ(at.status.outcome, turn > 0.0 ? Outcome::no_force : Outcome::ok)
            << at.status.message;
    }
}

TEST(Heaps, ComeToRestOrEndWithTheReason) {
    const char* asked = std::getenv("LACON_HEAPS");
    const char* from = std::getenv("LACON_HEAPS_FROM");
    const std::uint64_t count = asked ? std::stoull(asked) : 4;
    const std::uint64_t first = from ? std::stoull(from) : 1;
    for (std::uint64_t number = first; number < first + count; ++number)
        try_heap(number, asked ? 60 : 7, asked != nullptr);
}

}  // namespace
}  // namespace lacon::contacts
