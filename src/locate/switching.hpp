// Functions whose zeros are the kinks and jumps of gaps and events.
#pragma once

#include <memory>
#include <vector>

#include "mechanics/system/derived_model.hpp"
#include "state/observables.hpp"

namespace lacon::inline locate {

/// Switching functions of what is watched for its sign: gaps of one-sided constraints, and events.
/// Where one of them passes zero, a decision within the gap or event takes its other branch (or
/// atan2 comes to its cut), and no polynomial fits across.
///
/// Of `a < b`, `min(a, b)`, `max(a, b)` it is b − a, of `abs(a)` and `sign(a)` it is a, of
/// `floor(a)` it is sin(π a), of `atan2(a, b)` it is a. Decisions within others go by their values.
/// Built once; holds workspace.
class SwitchingFunctions {
public:
    explicit SwitchingFunctions(const DerivedModel& details);

    bool is_empty() const { return count_ == 0; }
    std::size_t count() const { return count_; }
    /// Their values, with bounds on the rounding errors.
    void values(const State& state, const SolveOptions& options, std::span<Rounded> out);

private:
    struct Operands {  // of one function, as places among the outputs of a program
        Op op;
        std::size_t first, second;
    };
    struct Source {  // what all members of a shape have in common
        Program program;
        std::vector<Operands> functions;
        std::size_t coordinates = 0, parameters = 0;
    };
    struct Member {
        std::size_t source;
        std::uint32_t leaves;
    };
    static std::vector<Operands> find(const Graph& graph, std::span<const Expr> roots,
                                      std::vector<Expr>& operands);
    void add_gaps(const DerivedModel& whole);
    static Rounded value(const Operands& function, std::span<const Rounded> operands);

    const std::vector<std::uint32_t>& leaves_;
    const std::vector<double>& parameters_;
    std::vector<Source> sources_;
    std::vector<Member> members_;
    std::vector<Operands> event_functions_;
    std::unique_ptr<DenseObservables> event_operands_;
    std::size_t count_ = 0;
    std::vector<Rounded> inputs_, slots_, operands_;
};

}  // namespace lacon::locate
