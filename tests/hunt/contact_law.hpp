// The laws of contact by trial of all modes.
#pragma once

#include <cstddef>
#include <vector>

/// The law of contact and friction with scalar velocities of sliding, by trial of all modes. Each
/// mode is a linear system; it counts where its solution keeps to all inequalities. Nothing is
/// searched for, so nothing is missed.
///
/// Rates (gap'' and s' of an acceleration problem, g'⁺ and s⁺ of an impact) are r = r0 + R f with
/// the forces f: of contact i the multiplier f[2i] and the friction f[2i + 1].
namespace hunt {

using Number = long double;  // modes are told apart by signs, and these need room beside doubles

enum class Mode {
    open,
    stick,
    plus,
    minus
};  ///< stick: closed, at rest or without friction; plus, minus: sign of s or s'

struct ContactLaw {
    struct Contact {
        bool two_sided = false;
        bool rubs = false;
        double sliding = 0.0, at_rest = 0.0;  // coefficients
        Number press = 1.0;                   // pressing force of a multiplier of 1
        int moves = 0;  // sign of s where it slides already; 0: the law decides
    };
    std::vector<Contact> contacts;
    std::vector<Number> r0, R;  // (2k), (2k × 2k) row-major
    Number& response(std::size_t i, std::size_t j) { return R[i * r0.size() + j]; }
};

/// A solution of one mode.
struct ContactAnswer {
    std::vector<Mode> modes;
    std::vector<Number> f, r;
    /// The least slack of all inequalities, beside the largest force or rate; negative: broken.
    Number margin = 0;
    std::vector<bool> rests;  // of each contact: closed and not sliding, and stays so
};

/// All modes whose solution has a margin of at least −slack. Where columns of forces depend on each
/// other, those with independent ones stand for the rest: a force within the cones exists if and
/// only if one on enough of their borders does.
std::vector<ContactAnswer> all_answers(ContactLaw law, Number slack);

/// Whether two answers move in the same way. Rates decide only about contacts; `like` compares
/// forces where rates agree.
bool same_rates(const ContactAnswer& first, const ContactAnswer& second, Number within);

/// What the enumeration says.
struct ContactVerdict {
    enum class What {
        one,
        none,
        several,
        near
    } what = What::near;        // near: within rounding of a border
    ContactAnswer answer = {};  // of `one`
    std::vector<ContactAnswer> all = {};
};
ContactVerdict decide(const ContactLaw& law);

}  // namespace hunt
