// The layout of the bordered equations [M Aᵀ; A 0] (q'', −λ) = (Q, b) for interval computations.
#pragma once

#include <cstdint>
#include <vector>

#include "mechanics/system/derived_model.hpp"

namespace lacon::inline existence {

/// The bordered equations K z = r of some of the constraint rows, K = [M Aᵀ; A 0], z = (q'', −λ), r
/// = (Q, b): which elements take part, and where their numbers go.
class Bordered {
public:
    /// `details` must outlive it.
    Bordered(const DerivedModel& details, const std::vector<std::size_t>& rows);

    std::size_t n() const { return n_; }
    std::size_t size() const { return size_; }  ///< n + rows
    const std::vector<std::size_t>& elements() const { return elements_; }

    const Shape& shape(std::size_t element) const {
        return system_.shapes[system_.elements[element].shape];
    }
    std::size_t shape_number(std::size_t element) const { return system_.elements[element].shape; }
    const Element& element(std::size_t number) const { return system_.elements[number]; }
    double parameter(std::size_t element, std::size_t i) const {
        return details_.parameters[leaves(element)[shape(element).coordinates + i]];
    }
    /// The direction of states (Box) along which the i-th of an element's q (k), q' (k), t goes.
    std::size_t direction(std::size_t element, std::size_t i) const {
        const std::size_t k = shape(element).coordinates;
        return i < k ? leaves(element)[i] : i < 2 * k ? n_ + leaves(element)[i - k] : 2 * n_;
    }

    /// The places of an element's o-th number: `in_K(i, j)`, for entries that come twice two times,
    /// or `in_r(i)`.
    template <class InK, class InR>
    void places(std::size_t element, std::size_t o, const InK& in_K, const InR& in_r) const;

private:
    static constexpr std::size_t none = ~std::size_t{0};
    const std::uint32_t* leaves(std::size_t element) const {
        return system_.leaves.data() + system_.elements[element].leaves;
    }

    const DerivedModel& details_;
    const System& system_;
    std::size_t n_, size_;
    std::vector<std::size_t> place_;  // of a constraint row in K, or none
    std::vector<std::size_t> elements_;
};

template <class InK, class InR>
void Bordered::places(std::size_t element, std::size_t o, const InK& in_K, const InR& in_r) const {
    const Entry entry = shape(element).dynamics.entries[o];
    const std::uint32_t* leaf = leaves(element);
    const std::int32_t number = system_.elements[element].row;
    const std::size_t row = number < 0 ? none : place_[static_cast<std::size_t>(number)];
    switch (entry.target) {
        case Entry::Target::mass:
            in_K(leaf[entry.i], leaf[entry.j]);
            if (entry.i != entry.j) in_K(leaf[entry.j], leaf[entry.i]);
            break;
        case Entry::Target::mass_single: in_K(leaf[entry.i], leaf[entry.j]); break;
        case Entry::Target::force: in_r(leaf[entry.i]); break;
        case Entry::Target::row:
            in_K(row, leaf[entry.j]);
            in_K(leaf[entry.j], row);
            break;
        case Entry::Target::right: in_r(row); break;
        default: break;
    }
}

}  // namespace lacon::existence
