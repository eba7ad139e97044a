// Runs the four codes of a step over one memory of series. Narrow features of the equations shorten
// the step; if less than 0.3 of it is left, a careful step has to take over.
#include "code/taylor_kernel.hpp"

#include <algorithm>

namespace lacon::inline code {

namespace {

std::shared_ptr<kernel::Source> source(kernel::Code& code, const kernel::CompileOptions& options) {
    return std::make_shared<kernel::Source>(std::move(code), options);
}

}  // namespace

TaylorSource::TaylorSource(TaylorCode code, const kernel::CompileOptions& options)
    : order(code.order),
      slots(code.slots),
      lanes(options.lanes),
      q(code.q),
      v(code.v),
      features(code.features),
      begin(source(code.begin, options)),
      next(source(code.next, options)),
      sizes(source(code.sizes, options)),
      end(source(code.end, options)) {
    series.top = static_cast<std::uint32_t>(order + 1);
}

TaylorKernel::TaylorKernel(const TaylorSource& source, const KernelInputs& at)
    : source_(source),
      lanes_(source.lanes),
      length_cell_(at.count),
      outputs_(source.q.size()),
      begin_(source.begin),
      next_(source.next),
      sizes_(source.sizes),
      end_(source.end),
      middle_(begin_.kernel().out_size()),
      size_out_(sizes_.kernel().out_size()),
      next_out_(next_.kernel().out_size()),
      out_(end_.kernel().out_size()),
      series_(source.slots * source.series.stride() * source.lanes, 0.0) {}

void TaylorKernel::expand(const double* in) {
    begin_.run(in, middle_.data(), series_.data(), 0);
    for (std::size_t k = 1; k < source_.order; ++k)
        next_.run(middle_.data(), next_out_.data(), series_.data(), k);
    sizes_.run(middle_.data(), size_out_.data(), series_.data(), 0);
}

void TaylorKernel::sizes_of(std::size_t lane, std::span<double> sizes) const {
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = size_out_[i * lanes_ + lane];
}

double TaylorKernel::clear_length(std::size_t lane, double length) const {
    // Of the step: where features shorten it more, the careful steps of the driver take over. Not
    // critical.
    constexpr double much = 0.3;
    double clear = length;
    for (const TaylorCode::PlacedFeature& feature : source_.features) {
        const std::size_t at =
            (feature.at * source_.series.stride() + kernel::Series::forwards(0)) * lanes_ + lane;
        const std::span series(series_.data() + at, (source_.order - 1) * lanes_ + 1);
        clear = length_within(series, lanes_,
                              reach_of(feature.kind, series[0], feature.exponent, source_.order),
                              clear);
    }
    return clear >= much * length ? clear : 0.0;
}

void TaylorKernel::finish(std::span<const double> lengths) {
    std::copy(lengths.begin(), lengths.end(),
              middle_.begin() + static_cast<std::ptrdiff_t>(length_cell_ * lanes_));
    end_.run(middle_.data(), out_.data(), series_.data(), 0);
}

bool TaylorKernel::is_fine(std::size_t lane) const {
    return out_[outputs_.fine * lanes_ + lane] == 1.0 &&
           begin_.kernel().in_range(middle_.data(), lane) &&
           end_.kernel().in_range(out_.data(), lane);
}

void TaylorKernel::forget() {
    std::fill(series_.begin(), series_.end(), 0.0);
}

void TaylorKernel::at(double tau, std::size_t lane, State& state) const {
    const auto polynomial = [&](std::uint32_t slot, std::size_t top) {
        const auto coefficient = [&](std::size_t k) {
            return series_[(slot * source_.series.stride() + kernel::Series::forwards(k)) * lanes_ +
                           lane];
        };
        double sum = coefficient(top);
        for (std::size_t k = top; k-- > 0;) sum = sum * tau + coefficient(k);
        return sum;
    };
    const std::size_t n = source_.q.size();
    state.q.resize(n);
    state.v.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
        state.q[i] = polynomial(source_.q[i], source_.order + 1);
        state.v[i] = polynomial(source_.v[i], source_.order);
    }
}

}  // namespace lacon::code
