// The cache of compiled code on disk.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "kernel/cache.hpp"
#include "kernel/dense.hpp"
#include "kernel_tests.hpp"

namespace lacon::kernel {
namespace {

namespace fs = std::filesystem;

/// A cache of its own for each test.
struct Cache : testing::Test {
    Cache() {
        std::string pattern = fs::temp_directory_path() / "lacon-cache-XXXXXX";
        folder = ::mkdtemp(pattern.data());
        ::setenv("LACON_CACHE_DIR", folder.c_str(), 1);
    }
    ~Cache() override {
        ::unsetenv("LACON_CACHE_DIR");
        fs::remove_all(folder);
    }
    static Code some_code(double factor) {
        Code code;
        const Value x(code, code.input(0));
        code.outputs = {(x * factor + exp(x)).id_in(code)};
        return code;
    }
    std::vector<fs::path> files() const {
        std::vector<fs::path> result;
        for (const auto& entry : fs::directory_iterator(folder)) result.push_back(entry.path());
        return result;
    }
    static double value(const Kernel& kernel) { return run_all(kernel, {{0.5}})[0][0]; }

    std::string folder;
};

TEST_F(Cache, AKernelIsFoundAgainAndGivesTheSame) {
    const auto first = compile(some_code(2.0)), second = compile(some_code(2.0));
    EXPECT_FALSE(first->report().from_cache);
    EXPECT_TRUE(second->report().from_cache);
    EXPECT_TRUE(same_bits(value(*first), value(*second)));
}

TEST_F(Cache, OtherCodeLanesOrTargetsAreOtherKernels) {
    compile(some_code(2.0));
    EXPECT_FALSE(compile(some_code(3.0))->report().from_cache);
    EXPECT_FALSE(compile(some_code(2.0), {.lanes = 8})->report().from_cache);
    EXPECT_FALSE(compile(some_code(2.0), {.effort = Effort::quick})->report().from_cache);
    if (host_isas().size() > 1) {
        EXPECT_FALSE(compile(some_code(2.0), {.isa = Isa::plain})->report().from_cache);
    }
}

TEST_F(Cache, TheLoopsOfTheDenseSolveAreKeptBesideOtherCode) {
    compile(Code());
    EXPECT_FALSE(DenseKernel({}).report().from_cache);
    EXPECT_TRUE(DenseKernel({}).report().from_cache);
    EXPECT_FALSE(DenseKernel({.lanes = 4}).report().from_cache);
}

TEST_F(Cache, ADamagedFileCountsAsMissingAndIsMended) {
    const double right = value(*compile(some_code(2.0)));
    ASSERT_EQ(files().size(), 1u);
    const auto size = fs::file_size(files()[0]);
    for (const std::uintmax_t place :
         {std::uintmax_t{0}, std::uintmax_t{10}, std::uintmax_t{60}, size - 1}) {
        {
            std::fstream file(files()[0], std::ios::in | std::ios::out | std::ios::binary);
            file.seekg(static_cast<std::streamoff>(place));
            const char was = static_cast<char>(file.get());
            file.seekp(static_cast<std::streamoff>(place));
            file.put(static_cast<char>(was ^ 1));
        }
        const auto again = compile(some_code(2.0));
        EXPECT_FALSE(again->report().from_cache) << place;
        EXPECT_EQ(value(*again), right);
        EXPECT_TRUE(compile(some_code(2.0))->report().from_cache);
    }
    fs::resize_file(files()[0], size - 5);
    EXPECT_FALSE(compile(some_code(2.0))->report().from_cache);
    std::ofstream(files()[0], std::ios::binary) << "";
    EXPECT_FALSE(compile(some_code(2.0))->report().from_cache);
}

TEST_F(Cache, AFolderThatOthersMayWriteToIsNotUsed) {
    compile(some_code(2.0));
    ::chmod(folder.c_str(), 0777);
    EXPECT_FALSE(compile(some_code(2.0))->report().from_cache);
}

TEST_F(Cache, AFolderThatCannotBeMadeCostsNothingButTheCache) {
    ::setenv("LACON_CACHE_DIR", "/proc/no/such/place", 1);
    EXPECT_FALSE(compile(some_code(2.0))->report().from_cache);
    EXPECT_FALSE(compile(some_code(2.0))->report().from_cache);
}

TEST_F(Cache, WithoutItNothingIsWritten) {
    compile(some_code(2.0), {.cache = false});
    EXPECT_TRUE(files().empty());
}

TEST_F(Cache, ManyProgramsMayUseItAtOnce) {
    std::vector<pid_t> children;
    for (int c = 0; c < 6; ++c) {
        const pid_t child = ::fork();
        if (child == 0) {
            for (int i = 0; i < 20; ++i)
                if (value(*compile(some_code(1.0 + i % 5))) !=
                    0.5 * (1.0 + i % 5) + value(*compile(some_code(0.0))))
                    ::_exit(1);
            ::_exit(0);
        }
        children.push_back(child);
    }
    for (const pid_t child : children) {
        int status = 0;
        ::waitpid(child, &status, 0);
        EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(files().size(), 6u) << "no temporary file is left";
}

TEST_F(Cache, TheLongestUnusedGoesWhenTheLimitIsReached) {
    compile(some_code(2.0));
    const fs::path old = files()[0];
    fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(1));
    const fs::path large = fs::path(folder) / "0123.kernel";
    std::ofstream(large, std::ios::binary) << "x";
    fs::resize_file(large, cache_limit - fs::file_size(old));  // a hole: takes no room
    compile(some_code(3.0));
    EXPECT_FALSE(fs::exists(old));
    EXPECT_TRUE(fs::exists(large)) << "the one less long unused stays";
}

TEST(Generator, MissingOneIsToldWithTheReason) {
    const pid_t child = ::fork();  // the generator of this program may be loaded already
    if (child == 0) {
        ::setenv("LACON_CODEGEN", "/no/such/module.so", 1);
        Code code;
        code.outputs = {code.input(0)};
        try {
            compile(code, {.cache = false});
        } catch (const std::runtime_error& error) {
            const std::string wanted =
                "the code generator is not installed; looked for /no/such/module.so";
            ::_exit(error.what() == wanted ? 0 : 2);
        }
        ::_exit(1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace lacon::kernel
