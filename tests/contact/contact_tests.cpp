// Helpers of the contact tests: runs, rows of reports, checks of certificates.
#include "contact_tests.hpp"

#include <algorithm>
#include <set>

namespace lacon::contacts {

void expect_lawful(const Motion& motion) {
    const auto& contact = motion.summary.contact;
    EXPECT_LE(contact.certificate.primal, 1e-12);
    EXPECT_LE(contact.certificate.dual, 1e-12);
    EXPECT_LE(contact.certificate.complementarity, 1e-12);
    EXPECT_GE(contact.modes, 1u);
    const std::set<std::string> kinds{"rank",    "switch",  "event", "impact", "contact",
                                      "release", "settled", "stick", "slip"};
    double before = -INFINITY;
    for (const MotionEvent& event : motion.summary.events) {
        EXPECT_TRUE(kinds.contains(event.kind)) << event.kind;
        EXPECT_GE(event.t, before) << event.kind << " " << event.name;
        before = event.t;
    }
}

Motion run_contacts(const Mechanism& mechanism, RunOptions options) {
    if (!options.tolerance) options.tolerance = 1e-12;
    Motion motion = motions::run_well(mechanism, options);
    expect_lawful(motion);
    return motion;
}

double worst_between(const Motion& motion, const std::string& column,
                     const std::function<Real(Real)>& expected, const std::vector<double>& but) {
    const std::vector<double>& t = motion.column("t");
    const std::vector<double>& x = motion.column(column);
    Real worst = 0.0L;
    for (std::size_t i = 0; i < t.size(); ++i) {
        const auto jumps = [&](double at) { return std::abs(at - t[i]) < 1e-9; };
        if (std::none_of(but.begin(), but.end(), jumps))
            worst = std::max(worst, std::abs(x[i] - expected(t[i])));
    }
    return near(worst);
}

void expect_times(const std::vector<double>& actual, const std::vector<Real>& expected,
                  double tolerance) {
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i)
        EXPECT_NEAR(actual[i], near(expected[i]), tolerance) << "number " << i;
}

std::vector<std::string> story(const Motion& motion) {
    std::vector<std::string> all;
    for (const MotionEvent& event : motion.summary.events)
        all.push_back(std::string(event.kind.name()) + " " + event.name);
    return all;
}

Real integral(const std::function<Real(Real)>& f, Real a, Real b) {
    constexpr Real points[] = {
        0.148874338981631210884826001129719985L, 0.433395394129247190799265943165784162L,
        0.679409568299024406234327365114873576L, 0.865063366688984510732096688423493048L,
        0.973906528517171720077964012084452053L};
    constexpr Real weights[] = {
        0.295524224714752870173815619188769L, 0.269266719309996355091226921569469L,
        0.219086362515982043995534934228163L, 0.149451349150580593145863396957697L,
        0.066671344308688137593568809893332L};
    constexpr int pieces = 64;
    const Real half = 0.5L * (b - a) / pieces;
    Real sum = 0.0L;
    for (int i = 0; i < pieces; ++i) {
        const Real middle = a + (2 * i + 1) * half;
        for (int k = 0; k < 5; ++k)
            sum += weights[k] * (f(middle - half * points[k]) + f(middle + half * points[k]));
    }
    return half * sum;
}

State state_of(const Mechanism& mechanism,
               const std::vector<std::pair<std::string, Real>>& values) {
    const std::vector<std::string>& names = mechanism.coordinates();
    State state{0.0, std::vector<double>(names.size()), std::vector<double>(names.size())};
    for (const auto& [name, value] : values) {
        const bool rate = name.ends_with('\'');
        const auto found =
            std::find(names.begin(), names.end(), rate ? name.substr(0, name.size() - 1) : name);
        if (found == names.end()) {
            ADD_FAILURE() << "no coordinate " << name;
            continue;
        }
        (rate ? state.v : state.q)[static_cast<std::size_t>(found - names.begin())] = near(value);
    }
    return state;
}

const ConstraintReport& row(const Evaluation& at, const std::string& name) {
    static const ConstraintReport none;
    const auto found = std::find_if(at.constraints.begin(), at.constraints.end(),
                                    [&](const auto& report) { return report.name == name; });
    EXPECT_NE(found, at.constraints.end()) << "no constraint " << name;
    return found == at.constraints.end() ? none : *found;
}

}  // namespace lacon::contacts
