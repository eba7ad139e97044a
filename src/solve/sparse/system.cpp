// Dense blocks pay from about 20 operations per entry of L. Pivots in doubt can be decided by an
// elimination in double-double, up to 2e9 operations. Solutions are refined while a round halves
// the residual.
#include "solve/sparse/system.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <thread>

namespace lacon::solving::inline sparse {

namespace {

// Relative to its diagonal, a coordinate's pivot within this of zero is none: as
// MassMetric::eigenvalue_tol.
constexpr double coordinate_tol = 1e-12;
// Twice the digits take some thirty times as long, column by column: up to about half a minute.
constexpr double careful_operations = 2e9;
constexpr double careful_entries = 1e8;
// Operations for each entry of L from which dense blocks pay.
constexpr double supernodal_from = 20.0;

}  // namespace

SparseSystem::SparseSystem(const Given& given, std::unique_ptr<SchurRoad> schur,
                           const SparseOptions& options)
    : given_(given), road_(Road::schur), schur_(std::move(schur)) {
    plan_.road = "schur";
    choose(schur_->graph(), options);
    below_ = schur_->assembly(elimination_);
    if (const auto* blocks = std::get_if<SupernodalLdlt>(&form_)) below_.reorder(blocks->order());
    diagonal_.resize(elimination_.size());
    y_.resize(given_.mass->rows);
    u_.resize(given_.rows->rows);
}

SparseSystem::SparseSystem(const Given& given, Road road, const SparseOptions& options)
    : given_(given),
      road_(road),
      kkt_(std::make_unique<KktRoad>(given.mass, given.rows, road == Road::squares)) {
    plan_.road = "kkt";
    row_from_ = given.mass->rows;
    choose(kkt_->graph(), options);
    kkt_->assemble(elimination_);
    if (const auto* blocks = std::get_if<SupernodalLdlt>(&form_))
        kkt_->below().reorder(blocks->order());
    is_row_.resize(elimination_.size());
    for (std::size_t k = 0; k < elimination_.size(); ++k)
        is_row_[k] = elimination_.order[k] >= row_from_;
    diagonal_.resize(elimination_.size());
}

void SparseSystem::choose(const SparsePattern& graph, const SparseOptions& options) {
    const std::size_t rows_from = road_ == Road::schur ? graph.rows : row_from_;
    OrderChoice choice = choose_order(graph, {options.order, rows_from});
    elimination_ = std::move(choice.elimination);
    natural_ = std::is_sorted(elimination_.order.begin(), elimination_.order.end());
    Islands islands(graph.rows);
    for (std::size_t i = 0; i < graph.rows; ++i)
        for (const Place j : row_of(graph, i)) islands.join(static_cast<Place>(i), j);
    islands.number();
    plan_.unknowns = graph.rows;
    plan_.islands = islands.count;
    plan_.largest = islands.largest;
    plan_.order = choice.name;
    plan_.threads =
        options.threads ? options.threads : std::max(1u, std::thread::hardware_concurrency());
    plan_.entries = elimination_.entries;
    plan_.operations = elimination_.operations;
    const double density = elimination_.operations /
                           static_cast<double>(std::max<std::size_t>(1, elimination_.entries));
    plan_.why = fmt::format("{}; {:.3g} operations for each entry of L, dense blocks from {}",
                            choice.why, density, supernodal_from);
    const bool blocks =
        options.form == SparseOptions::Form::supernodal ||
        (options.form == SparseOptions::Form::automatic && density >= supernodal_from);
    plan_.form = blocks ? "supernodal" : "simplicial";
    if (blocks) {
        const auto& form = form_.emplace<SupernodalLdlt>(elimination_);
        plan_.entries = form.entries();
        plan_.operations = form.operations();
    } else {
        form_.emplace<SimplicialLdlt<double>>(elimination_);
    }
    values_.resize(elimination_.lower.entries());
}

template <class T>
void SparseSystem::fill(const Assembly& below, std::span<T> values, std::span<T> diagonal) const {
    if (schur_) {
        below.evaluate<T>({}, schur_->B(), values);
        for (std::size_t k = 0; k < diagonal.size(); ++k)
            diagonal[k] = schur_->square<T>(elimination_.order[k]);
    } else {
        below.evaluate<T>(kkt_->base(), kkt_->factor(), values);
        kkt_->diagonal().evaluate<T>(kkt_->base(), kkt_->factor(), diagonal);
    }
}

bool SparseSystem::can_be_careful() const {
    return elimination_.operations <= careful_operations &&
           static_cast<double>(elimination_.entries) <= careful_entries;
}

SparseSystem::Verdict SparseSystem::factor(std::span<const double> M, std::span<const double> A,
                                           const Tolerances& tolerances) {
    careful_ = tolerances.careful;
    if (schur_) {
        const BlockMass::Kind kind = schur_->mass().factor(*given_.mass, M);
        concerned_ = schur_->mass().concerned();
        if (kind != BlockMass::Kind::definite)
            return kind == BlockMass::Kind::indefinite ? Verdict::indefinite
                                                       : Verdict::not_definite;
        schur_->scale_rows(A);
    } else {
        const Verdict verdict = judge_diagonal(M);
        if (verdict != Verdict::definite) return verdict;
        kkt_->scale(M, A);
    }
    const PivotRule rule{is_row_, tolerances.drop_row, coordinate_tol};
    if (careful_) {
        prepare_care();
        std::vector<Twofold> below(elimination_.lower.entries()), diagonal(elimination_.size());
        fill<Twofold>(careful_below_, below, diagonal);
        careful_form_->factor({below, diagonal}, rule, plan_.threads);
    } else {
        fill<double>(below(), values_, diagonal_);
        eliminate(rule);
    }
    return judge_coordinates();
}

// The numbers in values_ and diagonal_.
void SparseSystem::eliminate(const PivotRule& rule) {
    if (auto* blocks = std::get_if<SupernodalLdlt>(&form_)) {
        blocks->factor({values_, diagonal_}, rule, plan_.threads);
    } else {
        std::get<SimplicialLdlt<double>>(form_).factor({values_, diagonal_}, rule, plan_.threads);
    }
}

// xᵀ A(s) W A₀ᵀ x > 0 for every A(s) on the straight way from A₀ to A₁: at its begin as W is
// definite, at its end by the pivots.
std::optional<Place> SparseSystem::turned(const RowTurn& turn, const Tolerances& tolerances) {
    if (const auto row = schur_->pair_rows(turn)) return row;
    const PivotRule rule{{}, tolerances.drop_row, 0.0};
    careful_ = tolerances.careful;
    if (careful_) {
        prepare_care();
        std::vector<Twofold> below(elimination_.lower.entries()), diagonal(elimination_.size());
        for (std::size_t k = 0; k < diagonal.size(); ++k)
            diagonal[k] = schur_->paired(elimination_.order[k]);
        careful_below_.evaluate_between<Twofold>(schur_->B(), schur_->behind(), below);
        careful_form_->factor({below, diagonal}, rule, plan_.threads);
    } else {
        below_.evaluate_between<double>(schur_->B(), schur_->behind(), values_);
        std::fill(diagonal_.begin(), diagonal_.end(), 1.0);
        eliminate(rule);
    }
    std::optional<Place> weakest;
    double least = INFINITY;
    each_row([&](Place row, double pivot, bool is_dropped) {
        if (!is_dropped || !(pivot < least || !weakest)) return;
        weakest = row;
        least = pivot;
    });
    return weakest;
}

// The entries by rows, also where the usual form has them by columns.
void SparseSystem::prepare_care() {
    if (careful_form_) return;
    careful_form_.emplace(elimination_);
    careful_below_ = below();
    const auto* blocks = std::get_if<SupernodalLdlt>(&form_);
    if (!blocks) return;
    std::vector<Place> back(blocks->order().size());
    for (std::size_t e = 0; e < back.size(); ++e) back[blocks->order()[e]] = static_cast<Place>(e);
    careful_below_.reorder(back);
}

// What the diagonal of M alone shows.
SparseSystem::Verdict SparseSystem::judge_diagonal(std::span<const double> M) {
    const SparsePattern& mass = *given_.mass;
    std::vector<char> massless(mass.rows, 0);
    bool any = false;
    for (std::size_t j = 0; j < mass.rows; ++j) {
        const std::size_t last = mass.begin[j + 1];
        const double m = last > mass.begin[j] && mass.column[last - 1] == j ? M[last - 1] : 0.0;
        concerned_ = static_cast<Place>(j);
        if (m < 0.0) return Verdict::indefinite;
        massless[j] = m == 0.0;
        any = any || m == 0.0;
    }
    if (!any) return Verdict::definite;
    for (std::size_t i = 0; i < mass.rows; ++i)
        for (std::size_t e = mass.begin[i]; e < mass.begin[i + 1]; ++e) {
            concerned_ = massless[i] ? static_cast<Place>(i) : mass.column[e];
            if (M[e] != 0.0 && massless[concerned_]) return Verdict::indefinite;
        }
    concerned_ =
        static_cast<Place>(std::find(massless.begin(), massless.end(), 1) - massless.begin());
    return road_ == Road::squares ? Verdict::definite : Verdict::not_definite;
}

SparseSystem::Verdict SparseSystem::judge_coordinates() {
    if (is_row_.empty()) return Verdict::definite;
    Verdict verdict = Verdict::definite;
    for (std::size_t k = 0; k < is_row_.size(); ++k) {
        if (is_row_[k] || pivots()[k] > coordinate_tol) continue;
        const bool negative = pivots()[k] < -coordinate_tol;
        if (verdict == Verdict::definite || negative) concerned_ = elimination_.order[k];
        if (negative) return Verdict::indefinite;
        verdict = road_ == Road::squares ? Verdict::undetermined : Verdict::not_definite;
    }
    return verdict;
}

const std::vector<double>& SparseSystem::pivots() const {
    return with_form([](const auto& form) -> const std::vector<double>& { return form.pivots(); });
}

bool SparseSystem::is_dropped(std::size_t row) const {
    return with_form([k = place_of(row)](const auto& form) { return form.is_dropped(k); });
}

double SparseSystem::row_scale(std::size_t row) const {
    return schur_ ? schur_->scale(row) : kkt_->scale(row_from_ + row);
}

Place SparseSystem::row_at(Place k) const {
    const Place unknown = elimination_.order[k];
    return unknown < row_from_ ? nowhere : static_cast<Place>(unknown - row_from_);
}

void SparseSystem::factor_row(Place k, std::vector<RowEntry>& out) const {
    with_form([&](const auto& form) { form.row(k, out); });
}

namespace {

template <class Form, class T>
void solve_ordered(const Form& form, const std::vector<Place>& order, std::span<double> z,
                   std::vector<T>& work) {
    work.resize(order.size());
    for (std::size_t k = 0; k < order.size(); ++k) work[k] = z[order[k]];
    form.solve(work);
    for (std::size_t k = 0; k < order.size(); ++k) z[order[k]] = static_cast<double>(work[k]);
}

}  // namespace

void SparseSystem::apply(std::span<double> z) {
    if (careful_) {
        solve_ordered(*careful_form_, elimination_.order, z, long_work_);
    } else if (const auto* blocks = std::get_if<SupernodalLdlt>(&form_)) {
        solve_ordered(*blocks, elimination_.order, z, work_);
    } else if (natural_) {
        std::get<SimplicialLdlt<double>>(form_).solve(z);
    } else {
        solve_ordered(std::get<SimplicialLdlt<double>>(form_), elimination_.order, z, work_);
    }
}

void SparseSystem::fill_lengths() {
    const SparsePattern &mass = *given_.mass, &rows = *given_.rows;
    weights_.assign(row_from_, 1.0);
    for (std::size_t j = 0; j < row_from_; ++j) {
        const double m = kkt_->base()[mass.begin[j + 1] - 1];
        if (m > 0.0) weights_[j] = 1.0 / m;
    }
    lengths_.assign(rows.rows, 0.0);
    for (std::size_t i = 0; i < rows.rows; ++i) {
        for (std::size_t e = rows.begin[i]; e < rows.begin[i + 1]; ++e)
            lengths_[i] += kkt_->factor()[e] * kkt_->factor()[e] * weights_[rows.column[e]];
        lengths_[i] = lengths_[i] > 0.0 ? std::sqrt(lengths_[i]) : 1.0;
    }
}

void SparseSystem::solve_unit_rows(std::span<double> u) {
    if (schur_) return apply(u);
    fill_lengths();
    right_.assign(elimination_.size(), 0.0);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = right_[row_from_ + i] = lengths_[i] * u[i];
    if (road_ == Road::squares)
        add_transposed(*given_.rows, kkt_->factor(), 1.0, u, std::span(right_).first(row_from_));
    apply(right_);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = -right_[row_from_ + i] * lengths_[i];
}

void SparseSystem::multiply_unit_rows(std::span<double> u) {
    if (schur_) {
        std::fill(y_.begin(), y_.end(), 0.0);
        schur_->push(u, y_);
        std::fill(u.begin(), u.end(), 0.0);
        schur_->take(y_, u);
        for (double& value : u) value = -value;
        return;
    }
    fill_lengths();
    y_.assign(row_from_, 0.0);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] /= lengths_[i];
    add_transposed(*given_.rows, kkt_->factor(), 1.0, u, y_);
    for (std::size_t j = 0; j < row_from_; ++j) y_[j] *= weights_[j];
    std::fill(u.begin(), u.end(), 0.0);
    add_product(*given_.rows, kkt_->factor(), 1.0, y_, u);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] /= lengths_[i];
}

void SparseSystem::solve(std::span<const double> f, std::span<const double> r, std::span<double> x,
                         std::span<double> lambda, int rounds) {
    if (schur_) {
        solve_schur(f, r, x, lambda, rounds);
    } else {
        solve_kkt(f, r, x, lambda, rounds);
    }
}

namespace {

double largest_of(std::span<const double> x) {
    double largest = 0.0;
    for (const double value : x) largest = std::max(largest, std::abs(value));
    return largest;
}

}  // namespace

// y = L⁻¹ f; S u = r − B y; x = L⁻ᵀ (y + Bᵀ u), λ = u, rows of unit length.
void SparseSystem::solve_schur(std::span<const double> f, std::span<const double> r,
                               std::span<double> x, std::span<double> lambda, int rounds) {
    const std::size_t m = r.size();
    schur_->mass().scaled(f, y_);
    std::fill(lambda.begin(), lambda.end(), 0.0);
    double before = INFINITY;
    for (int round = 0; m > 0; ++round) {
        for (std::size_t i = 0; i < m; ++i) u_[i] = schur_->scale(i) * r[i];
        schur_->take(y_, u_);
        if (round > 0) {
            for (std::size_t i = 0; i < m; ++i)
                if (is_dropped(i)) u_[i] = 0.0;
            const double rest = largest_of(u_);
            if (!(rest < 0.5 * before)) break;
            before = rest;
        }
        apply(u_);
        schur_->push(u_, y_);
        for (std::size_t i = 0; i < m; ++i) lambda[i] += schur_->scale(i) * u_[i];
        if (round >= rounds) break;
    }
    schur_->mass().acceleration(y_, x);
}

void SparseSystem::kkt_residual(std::span<const double> right, std::span<const double> z,
                                std::span<double> rest) const {
    std::copy(right.begin(), right.end(), rest.begin());
    const auto x = z.first(row_from_), mu = z.subspan(row_from_);
    const auto base = kkt_->base().first(given_.mass->entries());
    add_symmetric(*given_.mass, base, -1.0, x, rest.first(row_from_));
    add_transposed(*given_.rows, kkt_->factor(), -1.0, mu, rest.first(row_from_));
    add_product(*given_.rows, kkt_->factor(), -1.0, x, rest.subspan(row_from_));
}

// K [x; −λ] = [f; r]; with squares, f + Aᵀ r.
void SparseSystem::solve_kkt(std::span<const double> f, std::span<const double> r,
                             std::span<double> x, std::span<double> lambda, int rounds) {
    const std::size_t n = row_from_, N = elimination_.size();
    right_.resize(N);
    rest_.resize(N);
    y_.assign(N, 0.0);
    for (std::size_t j = 0; j < n; ++j) right_[j] = kkt_->scale(j) * f[j];
    for (std::size_t i = 0; i < r.size(); ++i) right_[n + i] = kkt_->scale(n + i) * r[i];
    std::copy(right_.begin(), right_.end(), rest_.begin());
    double before = INFINITY;
    for (int round = 0;; ++round) {
        if (round > 0) {
            kkt_residual(right_, y_, rest_);
            for (std::size_t i = 0; i < r.size(); ++i)
                if (is_dropped(i)) rest_[n + i] = 0.0;
            const double left = largest_of(rest_);
            if (!(left < 0.5 * before)) break;
            before = left;
        }
        if (road_ == Road::squares)
            add_transposed(*given_.rows, kkt_->factor(), 1.0, std::span(rest_).subspan(n),
                           std::span(rest_).first(n));
        apply(rest_);
        for (std::size_t k = 0; k < N; ++k) y_[k] += rest_[k];
        if (round >= rounds) break;
    }
    for (std::size_t j = 0; j < n; ++j) x[j] = kkt_->scale(j) * y_[j];
    for (std::size_t i = 0; i < r.size(); ++i) lambda[i] = -kkt_->scale(n + i) * y_[n + i];
}

}  // namespace lacon::solving::sparse
