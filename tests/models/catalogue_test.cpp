// What holds for every file of models/.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "lacon/motion.hpp"
#include "lang/lang.hpp"
#include "model_tests.hpp"

namespace lacon::models {
namespace {

namespace fs = std::filesystem;

std::string contents_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<fs::path> files_in(const std::string& folder, const std::string& ending) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(fs::path(LACON_SOURCE_DIR) / folder)) {
        if (entry.path().extension() == ending) files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    return files;
}

std::vector<fs::path> model_files() {
    std::vector<fs::path> files = files_in("models", ".lac");
    for (const char* folder : {"models/bodies", "models/control", "models/large"})
        for (const fs::path& path : files_in(folder, ".lac")) files.push_back(path);
    return files;
}

TEST(Catalogue, HoldsAtLeastEighteenModels) {
    EXPECT_GE(model_files().size(), 18U);
}

TEST(Catalogue, EveryModelStartsOnItsConstraints) {
    for (const fs::path& path : model_files()) {
        SCOPED_TRACE(path.filename().string());
        const Start start = Mechanism::load(path.string()).start();
        EXPECT_EQ(name_of(start.status.outcome), "ok") << start.status.message;
        EXPECT_LE(start.position_residual, 1e-12);
        EXPECT_LE(start.velocity_residual, 1e-12);
    }
}

TEST(Catalogue, EveryModelHasAnAccelerationAndItsOutputsAtTheStart) {
    for (const fs::path& path : model_files()) {
        SCOPED_TRACE(path.filename().string());
        const Mechanism mechanism = Mechanism::load(path.string());
        const Evaluation at = mechanism.evaluate(mechanism.start().state);
        EXPECT_EQ(name_of(at.status.outcome), "ok") << at.status.message;
        for (const double a : at.solution.acceleration) EXPECT_TRUE(std::isfinite(a));
        EXPECT_FALSE(at.outputs.empty());
        for (const auto& [name, value] : at.outputs) EXPECT_TRUE(std::isfinite(value)) << name;
    }
}

TEST(Catalogue, EveryMotionIsVerified) {
    for (const fs::path& path : files_in("models", ".lac")) {
        SCOPED_TRACE(path.filename().string());
        const auto motion = lacon::run(Mechanism::load(path.string()), {.verify = true});
        if (!motion.status) continue;  // some stop at a singular position, as they say
        ASSERT_TRUE(motion.summary.verification);
        EXPECT_EQ(motion.summary.verification->trouble, "");
        EXPECT_FALSE(motion.summary.verification->final.empty());
    }
}

TEST(Catalogue, EveryModelExplainsItself) {
    for (const fs::path& path : model_files()) {
        SCOPED_TRACE(path.filename().string());
        const Mechanism mechanism = Mechanism::load(path.string());
        EXPECT_FALSE(mechanism.explain(false).empty());
        EXPECT_FALSE(mechanism.explain(true).empty());
    }
}

TEST(Catalogue, EveryModelTellsItsStorySourceAndAnswer) {
    for (const fs::path& path : model_files()) {
        SCOPED_TRACE(path.filename().string());
        const std::string text = contents_of(path);
        EXPECT_TRUE(text.starts_with("# "));
        EXPECT_NE(text.find("\n# Source: "), std::string::npos);
        EXPECT_NE(text.find("\n# Answer: "), std::string::npos);
    }
}

TEST(Catalogue, EveryModelIsCheckedAgainstItsAnswer) {
    std::string tests;
    for (const char* folder : {"tests/models", "tests/theory", "tests/control", "tests/shape"}) {
        for (const fs::path& path : files_in(folder, ".cpp")) tests += contents_of(path);
    }
    for (const fs::path& path : model_files()) {
        const std::string file =
            fs::relative(path, fs::path(LACON_SOURCE_DIR) / "models").generic_string();
        EXPECT_NE(tests.find("load(\"" + file + "\""), std::string::npos)
            << file << " is used by no test";
    }
}

TEST(Catalogue, EveryModelIsInCanonicalFormat) {
    for (const fs::path& path : model_files()) {
        const std::string text = contents_of(path);
        Diagnostics diagnostics;
        const auto formatted =
            format_model(SourceText(path.filename().string(), text), diagnostics);
        ASSERT_TRUE(formatted) << path;
        EXPECT_EQ(*formatted, text) << path;
    }
}

}  // namespace
}  // namespace lacon::models
