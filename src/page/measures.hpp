// Energies, residuals, ranks and forces at the rows of a page.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "page/arrows.hpp"
#include "page/page_data.hpp"
#include "scene/scene.hpp"

namespace lacon::inline page {

/// A column that the page makes by itself.
struct Measure {
    std::string name;   // "energy change", "rod.multiplier"
    std::string group;  // of a strip or list: energy, residual, rank, condition, multiplier
    FloatColumn values;
};

struct Measures {
    std::vector<Measure> columns;
    std::vector<ForceArrow> arrows;
    std::vector<FloatColumn> arrow_columns;
    std::string left_out;  // why there are none; else empty
};

/// The model of a run, and the one its pictures are made of, each with its states.
struct Measured {
    const DerivedModel &details, &pictured;
    std::span<const State> states, pictured_states;
};

/// How many coordinates and constraints a model may have to be evaluated: a dense solve takes 10
/// ms.
constexpr std::size_t largest_measured = 300;
std::size_t measured_size(const DerivedModel& details);

/// Evaluates at the states, and takes down what the page shows. Large models are not evaluated:
/// that would take longer than the run.
Measures measure(const Measured& measured, const Scene& scene, const SolveOptions& options);

}  // namespace lacon::page
