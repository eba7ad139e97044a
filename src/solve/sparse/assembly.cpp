// If all dot products have the same short length, the compiler knows it as a constant. The code is
// a template over double and double-double.
#include "solve/sparse/assembly.hpp"

#include <algorithm>

#include "solve/dense/matrix/twofold.hpp"

namespace lacon::solving::inline sparse {

namespace {

template <std::size_t fixed, class T>
void add_terms(const Assembly& assembly, const double* factor, std::span<T> out) {
    const Assembly::Term* terms = assembly.terms.data();
    for (std::size_t e = 0; e < out.size(); ++e) {
        T sum = 0.0;
        for (Place t = assembly.first_term[e]; t < assembly.first_term[e + 1]; ++t) {
            const double *x = factor + terms[t].a, *y = factor + terms[t].b;
            const std::size_t length = fixed ? fixed : terms[t].length;
            for (std::size_t k = 0; k < length; ++k) sum += T(x[k]) * T(y[k]);
        }
        out[e] += sum;
    }
}

template <std::size_t fixed, class T>
void set_between(const Assembly& assembly, const double* x, const double* y, std::span<T> out) {
    const Assembly::Term* terms = assembly.terms.data();
    for (std::size_t e = 0; e < out.size(); ++e) {
        T sum = 0.0;
        for (Place t = assembly.first_term[e]; t < assembly.first_term[e + 1]; ++t) {
            const std::size_t a = terms[t].a, b = terms[t].b,
                              length = fixed ? fixed : terms[t].length;
            for (std::size_t k = 0; k < length; ++k)
                sum += T(x[a + k]) * T(y[b + k]) + T(y[a + k]) * T(x[b + k]);
        }
        out[e] = T(0.5) * sum;
    }
}

}  // namespace

template <class T>
void Assembly::evaluate(std::span<const double> base, std::span<const double> factor,
                        std::span<T> out) const {
    if (source.empty()) {
        std::fill(out.begin(), out.end(), T(0.0));
    } else {
        for (std::size_t e = 0; e < out.size(); ++e)
            out[e] = source[e] == nowhere ? T(0.0) : T(base[source[e]]);
    }
    if (first_term.empty()) return;
    if (run == 1) {
        add_terms<1>(*this, factor.data(), out);
    } else if (run == 2) {
        add_terms<2>(*this, factor.data(), out);
    } else if (run == 3) {
        add_terms<3>(*this, factor.data(), out);
    } else {
        add_terms<0>(*this, factor.data(), out);
    }
}

template void Assembly::evaluate(std::span<const double>, std::span<const double>,
                                 std::span<double>) const;
template void Assembly::evaluate(std::span<const double>, std::span<const double>,
                                 std::span<Twofold>) const;

template <class T>
void Assembly::evaluate_between(std::span<const double> x, std::span<const double> y,
                                std::span<T> out) const {
    if (run == 2) {
        set_between<2>(*this, x.data(), y.data(), out);
    } else if (run == 3) {
        set_between<3>(*this, x.data(), y.data(), out);
    } else {
        set_between<0>(*this, x.data(), y.data(), out);
    }
}

template void Assembly::evaluate_between(std::span<const double>, std::span<const double>,
                                         std::span<double>) const;
template void Assembly::evaluate_between(std::span<const double>, std::span<const double>,
                                         std::span<Twofold>) const;

void Assembly::reorder(const std::vector<Place>& from) {
    if (!source.empty()) {
        std::vector<Place> moved(from.size());
        for (std::size_t e = 0; e < from.size(); ++e) moved[e] = source[from[e]];
        source = std::move(moved);
    }
    if (first_term.empty()) return;
    std::vector<Place> first{0};
    std::vector<Term> moved;
    first.reserve(from.size() + 1);
    moved.reserve(terms.size());
    for (const Place e : from) {
        moved.insert(moved.end(), terms.begin() + first_term[e], terms.begin() + first_term[e + 1]);
        first.push_back(static_cast<Place>(moved.size()));
    }
    first_term = std::move(first);
    terms = std::move(moved);
}

void Assembly::finish() {
    run = terms.empty() ? 0 : terms.front().length;
    for (const Term& term : terms)
        if (term.length != run) run = 0;
    terms.shrink_to_fit();
}

}  // namespace lacon::solving::sparse
