// Finds and loads the generator.
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <vector>

#include "kernel/generate.hpp"

namespace lacon::kernel {

namespace {

namespace fs = std::filesystem;

/// Where the module may be: where the user says, beside the program's installation, where this
/// library was installed or built.
std::vector<std::string> places() {
    std::vector<std::string> result;
    if (const char* own = std::getenv("LACON_CODEGEN")) return {own};
    std::error_code failed;
    const fs::path program = fs::read_symlink("/proc/self/exe", failed);
    if (!failed)
        result.push_back((program.parent_path() / LACON_MODULE_BESIDE).lexically_normal().string());
    result.insert(result.end(), {LACON_MODULE_INSTALLED, LACON_MODULE_BUILT});
    return result;
}

Generate load(std::string& reason) {
    reason = "the code generator is not installed; looked for";
    for (const std::string& place : places()) {
        if (!fs::exists(place)) {
            reason += fmt::format(" {}", place);
            continue;
        }
        void* module = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (!module) {
            const char* error = ::dlerror();
            reason = fmt::format("cannot load the code generator: {}", error ? error : place);
            continue;
        }
        const auto* version =
            static_cast<const std::uint64_t*>(::dlsym(module, generate_version_symbol));
        void* found = ::dlsym(module, generate_symbol);
        if (version && found && *version == generator_version)
            return reinterpret_cast<Generate>(found);
        reason = fmt::format("the code generator at {} is of another version", place);
        ::dlclose(module);
    }
    return nullptr;
}

}  // namespace

Generate find_generator(std::string& reason) {
    static std::mutex mutex;
    static Generate found = nullptr;
    static std::vector<std::string> looked_at;
    const std::lock_guard lock(mutex);
    if (!found || looked_at != places()) {
        found = load(reason);
        looked_at = places();
    }
    return found;
}

}  // namespace lacon::kernel
