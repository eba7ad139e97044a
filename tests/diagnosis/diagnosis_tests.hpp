// Helpers of the diagnosis tests.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "lacon/diagnosis.hpp"

namespace lacon {

inline std::string model_path(const std::string& file) {
    return std::string(LACON_SOURCE_DIR) + "/models/" + file;
}

/// The set of these names, in the order of the file; fails the test where there is none.
inline Dependency set_of(const Diagnosis& d, const std::vector<std::string>& names) {
    const auto found = std::find_if(d.dependent.begin(), d.dependent.end(),
                                    [&](const Dependency& set) { return set.names == names; });
    EXPECT_NE(found, d.dependent.end()) << "no set " << ::testing::PrintToString(names);
    return found == d.dependent.end() ? Dependency{} : *found;
}

inline const Reaction& reaction_of(const Diagnosis& d, const std::string& name) {
    const auto found =
        std::find_if(d.reactions.begin(), d.reactions.end(),
                     [&](const Reaction& reaction) { return reaction.name == name; });
    if (found == d.reactions.end()) throw std::out_of_range("no reaction '" + name + "'");
    return *found;
}

inline void expect_values(const std::vector<double>& actual, const std::vector<double>& expected,
                          double tolerance = 1e-12) {
    ASSERT_EQ(actual.size(), expected.size());
    for (std::size_t i = 0; i < actual.size(); ++i)
        EXPECT_NEAR(actual[i], expected[i], tolerance) << "entry " << i;
}

}  // namespace lacon
