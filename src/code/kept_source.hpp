// Code that is made once for a model and kept with it.
#pragma once

#include "code/compiled.hpp"

namespace lacon::inline code {

/// How the code of a choice is written and compiled.
struct Compiling {
    double rank_tol = 0.0;  // as SolveOptions
    const kernel::CompileOptions& compile;
};
/// Code for a choice, made once for a model and kept with it: `name` tells what of the model it is,
/// `write` gives it for its CodeOptions.
template <class Source, class Write>
std::shared_ptr<Source> kept_source(const std::string& name, const DerivedModel& details,
                                    const KernelChoice& choice, const Compiling& how,
                                    const Write& write) {
    return details.memo.get<Source>(name + " " + choice.key(how.rank_tol, how.compile), [&] {
        return std::make_shared<Source>(write(choice.code_options(details, how.rank_tol)),
                                        how.compile);
    });
}

}  // namespace lacon::code
