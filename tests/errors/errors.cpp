/// Every message a text can cause, whole. A case is a pair of files in tests/errors/cases:
/// NAME.lac, and NAME.txt with the report that it must give. To write the reports anew after a
/// change of wording, run this program with the environment variable LACON_BLESS=1; then read each
/// changed text as the person who made the mistake would.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "pipeline.hpp"

namespace lacon {
namespace {

const std::filesystem::path folder = std::filesystem::path(LACON_SOURCE_DIR) / "tests/errors/cases";

std::string content_of(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

/// What a person sees who runs this model.
std::string report_of(const SourceText& source) {
    return render(build(source).diagnostics, source, 20);
}

std::vector<std::string> case_names() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().extension() == ".lac") names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

class Errors : public testing::TestWithParam<std::string> {};

TEST_P(Errors, AreReportedAsPinned) {
    const std::string name = GetParam();
    const std::filesystem::path expected = folder / (name + ".txt");
    const std::string report =
        report_of(SourceText(name + ".lac", content_of(folder / (name + ".lac"))));
    EXPECT_FALSE(report.empty()) << "the case has no error";
    if (std::getenv("LACON_BLESS") != nullptr) std::ofstream(expected, std::ios::binary) << report;
    else
        EXPECT_EQ(report, content_of(expected))
            << "if the new text is better, run with LACON_BLESS=1";
}

INSTANTIATE_TEST_SUITE_P(Case, Errors, testing::ValuesIn(case_names()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace lacon
