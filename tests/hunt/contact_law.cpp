// The laws of contact by trial of all modes.
#include "hunt/contact_law.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace hunt {
namespace {

// Pivot beside the largest: the same row twice gives 1e-16, and near ones decide nothing.
constexpr Number singular = 1e-12;
// States are doubles: what holds exactly holds to 1e-15 times moderate factors.
constexpr Number rounding = 1e-9;
constexpr Number clear = 1e-6;  // and what is to count as broken or met must be so by much more

/// What one contact does in a trial: which force it has, which rates are zero, which inequalities
/// remain.
struct Trial {
    Mode mode = Mode::open;
    int edge = 0;               // friction is −edge · coefficient · load; 0: none, or free
    int side = 1;               // sign of the multiplier, of two-sided constraints
    bool held_at_edge = false;  // at the border of the cone of rest, and resting
};

std::vector<Trial> trials_of(const ContactLaw::Contact& one) {
    std::vector<Trial> all;
    if (!one.two_sided) all.push_back({});
    if (!one.rubs || one.moves == 0) all.push_back({.mode = Mode::stick});
    if (!one.rubs) return all;
    for (const int sign : {1, -1}) {
        if (one.moves != 0 && sign != one.moves) continue;
        for (const int side : {1, -1}) {
            if (side < 0 && !one.two_sided) continue;
            all.push_back({sign > 0 ? Mode::plus : Mode::minus, sign, side});
            if (one.moves == 0 && one.at_rest > one.sliding)
                all.push_back({Mode::stick, sign, side, true});
        }
    }
    return all;
}

/// x of [K right], n columns and at least as many rows, by elimination with full pivoting. Nothing
/// where columns depend on each other, or where rows that are left over do not agree.
std::optional<std::vector<Number>> solved(std::vector<std::vector<Number>> K, std::size_t n) {
    std::vector<std::size_t> column(n);
    for (std::size_t i = 0; i < n; ++i) column[i] = i;
    Number largest = 0, size = 0;
    for (const auto& row : K) size = std::max(size, std::abs(row[n]));
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t r = k, c = k;
        for (std::size_t i = k; i < K.size(); ++i)
            for (std::size_t j = k; j < n; ++j)
                if (std::abs(K[i][j]) > std::abs(K[r][c])) r = i, c = j;
        const Number best = std::abs(K[r][c]);
        largest = std::max(largest, best);
        if (!(best > singular * largest)) return std::nullopt;
        std::swap(K[k], K[r]);
        std::swap(column[k], column[c]);
        for (auto& row : K) std::swap(row[k], row[c]);
        for (std::size_t i = k + 1; i < K.size(); ++i) {
            const Number factor = K[i][k] / K[k][k];
            for (std::size_t j = k; j <= n; ++j) K[i][j] -= factor * K[k][j];
        }
    }
    for (std::size_t i = n; i < K.size(); ++i)
        if (std::abs(K[i][n]) > rounding * size) return std::nullopt;
    std::vector<Number> x(n);
    for (std::size_t k = n; k-- > 0;) {
        Number sum = K[k][n];
        for (std::size_t j = k + 1; j < n; ++j) sum -= K[k][j] * x[column[j]];
        x[column[k]] = sum / K[k][k];
    }
    return x;
}

class Enumeration {
public:
    explicit Enumeration(ContactLaw& law, Number slack)
        : law_(law), slack_(slack), chosen_(law.contacts.size()) {
        try_from(0);
    }
    std::vector<ContactAnswer> answers;

private:
    void try_from(std::size_t i) {
        if (i == chosen_.size()) return solve();
        for (const Trial& trial : trials_of(law_.contacts[i])) {
            chosen_[i] = trial;
            try_from(i + 1);
        }
    }

    /// Friction beside the multiplier, where the trial says how large it is.
    Number ratio(std::size_t i) const {
        const auto& one = law_.contacts[i];
        const Trial& trial = chosen_[i];
        return -trial.edge * trial.side * one.press *
               (trial.held_at_edge ? one.at_rest : one.sliding);
    }

    void solve() {
        // Numbers of forces; the rates of the same numbers are zero.
        std::vector<std::size_t> unknown;
        for (std::size_t i = 0; i < chosen_.size(); ++i) {
            if (chosen_[i].mode == Mode::open) continue;
            unknown.push_back(2 * i);
            if (chosen_[i].edge == 0 && law_.contacts[i].rubs) unknown.push_back(2 * i + 1);
        }
        solve(unknown, unknown);
        // All that is at rest stays so: more rates are zero than forces act, where others take
        // their part.
        std::vector<std::size_t> still;
        for (std::size_t i = 0; i < chosen_.size(); ++i) {
            const auto& one = law_.contacts[i];
            if (one.moves == 0 || chosen_[i].mode != Mode::open) still.push_back(2 * i);
            if (one.moves == 0 && one.rubs) still.push_back(2 * i + 1);
        }
        if (still != unknown && still.size() >= unknown.size()) solve(unknown, still);
    }

    void solve(const std::vector<std::size_t>& unknown, const std::vector<std::size_t>& zero) {
        std::vector<std::vector<Number>> K;
        for (const std::size_t r : zero) {
            K.emplace_back();
            for (const std::size_t c : unknown) {
                Number entry = law_.response(r, c);
                if (c % 2 == 0) entry += ratio(c / 2) * law_.response(r, c + 1);
                K.back().push_back(entry);
            }
            K.back().push_back(-law_.r0[r]);
        }
        const auto x = solved(std::move(K), unknown.size());
        if (!x) return;
        ContactAnswer answer;
        answer.f.assign(law_.r0.size(), 0);
        for (std::size_t k = 0; k < unknown.size(); ++k) {
            answer.f[unknown[k]] = (*x)[k];
            if (unknown[k] % 2 == 0 && chosen_[unknown[k] / 2].edge != 0)
                answer.f[unknown[k] + 1] = ratio(unknown[k] / 2) * (*x)[k];
        }
        judge(answer);
    }

    void judge(ContactAnswer& answer) {
        Number force = 0, rate = 0;
        answer.r = law_.r0;
        for (std::size_t i = 0; i < answer.r.size(); ++i) {
            rate = std::max(rate, std::abs(law_.r0[i]));
            force = std::max(force, std::abs(answer.f[i]));
            for (std::size_t j = 0; j < answer.r.size(); ++j) {
                answer.r[i] += law_.response(i, j) * answer.f[j];
                rate = std::max(rate, std::abs(law_.response(i, j) * answer.f[j]));
            }
        }
        answer.margin = 1;
        const auto keep = [&](Number slack, Number scale) {
            answer.margin = std::min(answer.margin, scale > 0 ? slack / scale : Number(0));
        };
        for (std::size_t i = 0; i < chosen_.size(); ++i) {
            const auto& one = law_.contacts[i];
            const Trial& trial = chosen_[i];
            const Number N = answer.f[2 * i], T = answer.f[2 * i + 1], s = answer.r[2 * i + 1];
            answer.modes.push_back(trial.mode);
            // By its rates: forces that are not unique may be zero, or at the border of a cone,
            // where nothing moves.
            answer.rests.push_back(one.moves == 0 && std::abs(answer.r[2 * i]) <= rounding * rate &&
                                   (!one.rubs || std::abs(s) <= rounding * rate));
            if (trial.mode == Mode::open) {
                keep(answer.r[2 * i], rate);
                continue;
            }
            if (!one.two_sided || trial.edge != 0) keep(trial.side * N, force);
            if (trial.held_at_edge) {
                if (std::abs(s) > rounding * rate) return;
            } else if (trial.edge != 0) {
                if (one.moves == 0) keep(trial.edge * s, rate);
            } else if (one.rubs) {
                keep(std::max(one.at_rest, one.sliding) * one.press * std::abs(N) - std::abs(T),
                     force);
            }
        }
        if (answer.margin >= -slack_) answers.push_back(std::move(answer));
    }

    ContactLaw& law_;
    Number slack_;
    std::vector<Trial> chosen_;
};

/// By its margin; where both are at a border, as contacts without force are, the one that counts
/// more of them closed.
bool is_clearer(const ContactAnswer& one, const ContactAnswer& other) {
    if (std::abs(one.margin - other.margin) > 1e-14) return one.margin > other.margin;
    return std::ranges::count(one.modes, Mode::open) < std::ranges::count(other.modes, Mode::open);
}

/// All that rests in `other` rests in `one`, and something else as well; what slides already does
/// the same in both.
bool rests_more(const ContactLaw& law, const ContactAnswer& one, const ContactAnswer& other) {
    for (std::size_t i = 0; i < one.rests.size(); ++i) {
        if (other.rests[i] && !one.rests[i]) return false;
        if (law.contacts[i].moves != 0 &&
            (one.modes[i] == Mode::open) != (other.modes[i] == Mode::open))
            return false;
    }
    return one.rests != other.rests;
}

/// Answers that move alike are one; the clearest of them stays.
std::vector<ContactAnswer> distinct(const std::vector<ContactAnswer>& all) {
    std::vector<ContactAnswer> kept;
    for (const ContactAnswer& one : all) {
        const auto like = std::ranges::find_if(
            kept, [&](const ContactAnswer& other) { return same_rates(one, other, clear); });
        if (like == kept.end()) kept.push_back(one);
        else if (is_clearer(one, *like)) *like = one;
    }
    return kept;
}

}  // namespace

bool same_rates(const ContactAnswer& first, const ContactAnswer& second, Number within) {
    Number scale = 0, apart = 0;
    for (std::size_t i = 0; i < first.r.size(); ++i) {
        scale = std::max({scale, std::abs(first.r[i]), std::abs(second.r[i])});
        apart = std::max(apart, std::abs(first.r[i] - second.r[i]));
    }
    return apart <= within * std::max(scale, Number(1));
}

std::vector<ContactAnswer> all_answers(ContactLaw law, Number slack) {
    return Enumeration(law, slack).answers;
}

ContactVerdict decide(const ContactLaw& law) {
    ContactVerdict verdict;
    verdict.all = distinct(all_answers(law, rounding));
    if (distinct(all_answers(law, clear)).size() != verdict.all.size()) return verdict;
    if (verdict.all.empty()) {
        verdict.what = ContactVerdict::What::none;
        return verdict;
    }
    // Rest comes first, also where leaving the contact would satisfy the law: "at rest it sticks
    // wherever forces within the cone allow it" (contact.md). An answer in which less rests than in
    // another gives way to it.
    std::vector<ContactAnswer> left;
    for (const ContactAnswer& one : verdict.all)
        if (std::ranges::none_of(verdict.all, [&](const ContactAnswer& other) {
                return rests_more(law, other, one);
            }))
            left.push_back(one);
    if (left.size() == 1) {
        verdict.what = ContactVerdict::What::one;
        verdict.answer = left[0];
        return verdict;
    }
    verdict.what = ContactVerdict::What::several;
    return verdict;
}

}  // namespace hunt
