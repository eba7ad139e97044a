// Ranges of names of families, as they are printed.
#include "state/family_names.hpp"

#include <gtest/gtest.h>

namespace lacon {
namespace {

TEST(Ranges, MembersInARowAreOneRange) {
    EXPECT_EQ(ranges_text({"rod[1]", "rod[2]", "rod[3]", "bar"}), "'rod[1]' to 'rod[3]' and 'bar'");
    EXPECT_EQ(ranges_text({"g[1,2].x", "g[1,4].x", "g[1,6].x"}), "'g[1,2].x' to 'g[1,6].x' by 2");
    EXPECT_EQ(ranges_text({"a[1]", "a[2]", "b"}), "'a[1]', 'a[2]' and 'b'");
    EXPECT_EQ(ranges_text({"a", "b", "c", "d"}, 2), "'a', 'b' and 2 more");
    EXPECT_EQ(ranges_text({"x[-1]", "x[0]", "x[1]"}), "'x[-1]' to 'x[1]'");
}

TEST(Ranges, ARangeEndsWhereMoreThanOneIndexChanges) {
    EXPECT_EQ(ranges_text({"g[1,1]", "g[1,2]", "g[1,3]", "g[2,1]", "g[2,2]", "g[2,3]"}),
              "'g[1,1]' to 'g[1,3]' and 'g[2,1]' to 'g[2,3]'");
}

TEST(Ranges, IndicesInARowAreWrittenAsRanges) {
    EXPECT_EQ(index_ranges_text({1, 2, 3, 7, 9, 10}), "1..3, 7, 9, 10");
    EXPECT_EQ(index_ranges_text({1, 3, 5, 7}, 2), "1, 3, …");
}

TEST(FamilyNames, AreTakenApartAndPutTogether) {
    EXPECT_EQ(family_name("grid[3,-4].x"), (FamilyName{"grid", {3, -4}, ".x"}));
    EXPECT_EQ(family_name("bead"), (FamilyName{"bead", {}, {}}));
    for (const char* name : {"grid[3,-4].x", "bead", "a[1]", "x[2]'"})
        EXPECT_EQ(text_of(family_name(name)), name);
}

}  // namespace
}  // namespace lacon
