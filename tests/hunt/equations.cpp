// The oracle's M, Q, A, b of a model, by derivatives of its own.
#include "hunt/equations.hpp"

#include <algorithm>
#include <numeric>

namespace hunt {

// ---- elimination

std::optional<Reals> solve(Square K, Reals right, double* weakest) {
    const std::size_t n = K.n;
    std::vector<std::size_t> column(n);
    std::iota(column.begin(), column.end(), std::size_t{0});
    Real largest = 0.0;
    if (weakest != nullptr) *weakest = 1.0;
    for (std::size_t k = 0; k < n; ++k) {
        std::size_t r = k, c = k;
        Real best = -1.0;
        for (std::size_t i = k; i < n; ++i)
            for (std::size_t j = k; j < n; ++j)
                if (Real size = abs(K(i, j)); size > best) best = size, r = i, c = j;
        if (k == 0) largest = best;
        if (!best.is_finite() || best <= largest * 1e-60) return std::nullopt;
        if (weakest != nullptr) *weakest = std::min(*weakest, (best / largest).nearest());
        for (std::size_t j = 0; j < n; ++j) std::swap(K(k, j), K(r, j));
        std::swap(right[k], right[r]);
        for (std::size_t i = 0; i < n; ++i) std::swap(K(i, k), K(i, c));
        std::swap(column[k], column[c]);
        for (std::size_t i = k + 1; i < n; ++i) {
            if (K(i, k).is_zero()) continue;
            const Real factor = K(i, k) / K(k, k);
            for (std::size_t j = k + 1; j < n; ++j) K(i, j).take(factor, K(k, j));
            right[i].take(factor, right[k]);
        }
    }
    Reals x(n, Real(0.0));
    for (std::size_t k = n; k-- > 0;) {
        for (std::size_t j = k + 1; j < n; ++j) right[k].take(K(k, j), right[j]);
        right[k] /= K(k, k);
        x[column[k]] = right[k];
    }
    return x;
}

std::vector<std::size_t> independent_rows(const std::vector<Reals>& rows) {
    std::vector<std::size_t> kept;
    if (rows.empty()) return kept;
    std::vector<Reals> left = rows;
    for (Reals& row : left) {
        Real most = 0.0;
        for (const Real& entry : row) most = larger(most, abs(entry));
        if (most > 0.0)
            for (Real& entry : row) entry /= most;
    }
    std::vector<bool> done(rows.size(), false);
    for (std::size_t round = 0; round < std::min(rows.size(), rows[0].size()); ++round) {
        std::size_t r = 0, c = 0;
        Real best = 1e-30;
        for (std::size_t i = 0; i < left.size(); ++i)
            for (std::size_t j = 0; !done[i] && j < left[i].size(); ++j)
                if (Real size = abs(left[i][j]); size > best) best = size, r = i, c = j;
        if (best <= 1e-30) break;
        done[r] = true;
        kept.push_back(r);
        for (std::size_t i = 0; i < left.size(); ++i) {
            if (done[i] || left[i][c].is_zero()) continue;
            const Real factor = left[i][c] / left[r][c];
            for (std::size_t j = 0; j < left[i].size(); ++j) left[i][j].take(factor, left[r][j]);
        }
    }
    std::ranges::sort(kept);
    return kept;
}

// ---- derivation

Term rate_of(const Model& model, const Term& f) {
    Tree& tree = *model.tree;
    Term sum{&tree, tree.derivative(f.node, model.t().node)};
    for (int i = 0; i < model.count(); ++i) {
        const Term slope{&tree, tree.derivative(f.node, model.x(i).node)};
        sum = sum + slope * model.v_of(i);
    }
    return sum;
}

namespace {

struct Energies {
    Term T, V, R;
};

Energies energies_of(const Model& model) {
    Energies sum{model.c(0.0), model.c(0.0), model.c(0.0)};
    Tree* tree = model.tree.get();
    for (const auto& particle : model.particles)
        for (std::size_t k = 0; k < particle.at.size(); ++k) {
            const Term speed = rate_of(model, {tree, particle.at[k]});
            sum.T = sum.T + 0.5 * (model.c(particle.mass) * (speed * speed));
            if (k < model.gravity.size())
                sum.V = sum.V - particle.mass * (model.gravity[k] * Term{tree, particle.at[k]});
        }
    for (const auto& energy : model.energies) {
        Term& part = energy.kind == Kind::kinetic     ? sum.T
                     : energy.kind == Kind::potential ? sum.V
                                                      : sum.R;
        part = part + Term{tree, energy.node};
    }
    return sum;
}

}  // namespace

Derived derive(const Model& model) {
    Tree& tree = *model.tree;
    const Energies energy = energies_of(model);
    const auto by = [&](const Term& f, const Term& leaf) {
        return Term{&tree, tree.derivative(f.node, leaf.node)};
    };
    Derived all;
    for (int i = 0; i < model.count(); ++i) {
        const Term momentum = by(energy.T, model.v_of(i));
        Term Q = by(energy.T, model.x(i)) - by(energy.V, model.x(i)) - by(energy.R, model.v_of(i)) -
                 rate_of(model, momentum);
        for (const auto& one : model.forces)
            if (one.coordinate == i) Q = Q + Term{&tree, one.node};
        std::vector<Term> row;
        for (int j = 0; j < model.count(); ++j) row.push_back(by(momentum, model.v_of(j)));
        for (const auto& one : model.equations) {
            if (one.coordinate != i) continue;
            const Term difference = Term{&tree, one.left} - Term{&tree, one.right};
            for (int j = 0; j < model.count(); ++j)
                row[static_cast<std::size_t>(j)] =
                    row[static_cast<std::size_t>(j)] + by(difference, model.a_of(j));
            Q = Q - difference;  // a tape has accelerations of 0
        }
        for (const Term& entry : row) all.M.push_back(entry.node);
        all.Q.push_back(Q.node);
    }
    for (const auto& row : model.rows) {
        const Term phi = Term{&tree, row.left} - Term{&tree, row.right};
        const Term first = row.level == 0 ? rate_of(model, phi) : phi;
        for (int j = 0; j < model.count(); ++j)
            all.A.push_back(by(phi, row.level == 0   ? model.x(j)
                                    : row.level == 1 ? model.v_of(j)
                                                     : model.a_of(j))
                                .node);
        all.b.push_back((-(row.level == 2 ? phi : rate_of(model, first))).node);
        all.residual.push_back(phi.node);
        all.rate.push_back(first.node);
    }
    all.energy = (energy.T + energy.V).node;
    return all;
}

std::vector<int> Equations::outputs_of(const Model& model) {
    n_ = model.names.size();
    m_ = model.rows.size();
    for (const auto& row : model.rows) {
        levels_.push_back(row.level);
        one_sided_.push_back(row.one_sided);
    }
    const Derived derived = derive(model);
    std::vector<int> all = derived.M;
    for (const auto* part : {&derived.Q, &derived.A, &derived.b, &derived.residual, &derived.rate})
        all.insert(all.end(), part->begin(), part->end());
    all.push_back(derived.energy);
    for (const auto& narrow : model.narrow) {
        all.push_back(narrow.node);
        all.push_back(rate_of(model, {model.tree.get(), narrow.node}).node);
    }
    events_at_ = all.size();
    for (const auto& event : model.events) all.push_back(event.node);
    extra_at_ = all.size();
    return all;
}

Equations::Equations(const Model& model, const std::vector<int>& extra)
    : tape_(*model.tree, {}, {}) {
    std::vector<int> outputs = outputs_of(model);
    outputs.insert(outputs.end(), extra.begin(), extra.end());
    tape_ = Tape(*model.tree, outputs, model.tables);
}

// ---- solution

std::vector<std::size_t> Equations::independent(int level) const {
    std::vector<Reals> rows;
    std::vector<std::size_t> numbers;
    for (std::size_t r = 0; r < m_; ++r) {
        if (one_sided_[r] || (level >= 0 && levels_[r] != level)) continue;
        numbers.push_back(r);
        rows.emplace_back();
        for (std::size_t j = 0; j < n_; ++j) rows.back().push_back(A(r, j));
    }
    std::vector<std::size_t> kept = independent_rows(rows);
    for (std::size_t& k : kept) k = numbers[k];
    return kept;
}

Square Equations::kkt(const std::vector<std::size_t>& rows, bool unit_metric) const {
    Square K(n_ + rows.size());
    for (std::size_t i = 0; i < n_; ++i)
        for (std::size_t j = 0; j < n_; ++j)
            K(i, j) = unit_metric ? Real(i == j ? 1.0 : 0.0) : M(i, j);
    for (std::size_t k = 0; k < rows.size(); ++k)
        for (std::size_t j = 0; j < n_; ++j) K(n_ + k, j) = K(j, n_ + k) = A(rows[k], j);
    return K;
}

std::optional<Reals> Equations::accelerate(const std::vector<std::size_t>& rows,
                                           double* weakest) const {
    Reals right;
    for (std::size_t i = 0; i < n_; ++i) right.push_back(Q(i));
    for (const std::size_t r : rows) right.push_back(b(r));
    return hunt::solve(kkt(rows), std::move(right), weakest);
}

}  // namespace hunt
