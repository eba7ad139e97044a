// Machine code as bytes: linked from an object file, kept in the cache, and mapped to run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lacon::kernel {

/// Machine code that runs wherever it is put: the sections of an object file side by side, all
/// references within it resolved. It can be kept on disk and mapped again without a linker.
struct Image {
    std::vector<std::uint8_t> bytes;
    std::uint64_t entry = 0;  // where `kernel` begins
    std::uint64_t work = 0;   // doubles of workspace a lane
};

/// Lays out an ELF object file. Throws std::runtime_error for one that refers to anything outside
/// itself.
Image link(std::span<const char> object);

/// An image in executable memory; gone when this is destroyed.
class Loaded {
public:
    using Kernel = void (*)(const double* in, double* out, double* work,
                            const void* const* functions, double* series, std::uint64_t k);

    /// Throws std::runtime_error where the system refuses executable memory.
    explicit Loaded(const Image& image);
    ~Loaded();
    Loaded(const Loaded&) = delete;
    Loaded& operator=(const Loaded&) = delete;

    Kernel kernel() const { return reinterpret_cast<Kernel>(entry_); }
    void* entry() const { return entry_; }  // of code that takes other arguments

private:
    void* memory_ = nullptr;
    std::size_t size_ = 0;
    void* entry_ = nullptr;
};

}  // namespace lacon::kernel
