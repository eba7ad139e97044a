// Forces, energies, residuals and ranks at the rows of a page.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "page/page_data.hpp"
#include "scene/scene.hpp"

namespace lacon::inline page {

/// A column that the page makes by itself.
struct Measure {
    std::string name;   // "energy change", "rod.multiplier"
    std::string group;  // of a strip or list: energy, residual, rank, condition, force
    FloatColumn values;
};

/// A force drawn as an arrow: its components are columns `first`, `first` + 1, … of Measures.
struct ForceArrow {
    std::string name;  // of the constraint or control
    std::string kind;  // constraint, contact, control
    Spot at{};
    std::size_t first = 0;
};

struct Measures {
    std::vector<Measure> columns;
    std::vector<ForceArrow> arrows;
    std::vector<FloatColumn> arrow_columns;
    std::string left_out;  // why there are none; else empty
};

/// Evaluates a model at states, and takes down what its page shows. Large models are not evaluated:
/// that would take longer than the run.
Measures measure(const DerivedModel& details, const Scene& scene, std::span<const State> states,
                 const SolveOptions& options);

}  // namespace lacon::page
