// Aligned memory for the inputs, outputs and workspace of compiled code.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace lacon::kernel {

/// Memory that begins where a cache line begins: a register of 8 lanes that lies across two takes
/// twice as long.
template <class T>
struct LineAllocator {
    using value_type = T;
    static constexpr std::align_val_t line{64};
    LineAllocator() = default;
    template <class U>
    LineAllocator(const LineAllocator<U>&) {}  // NOLINT: as allocators are
    T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
    void deallocate(T* p, std::size_t) { ::operator delete(p, line); }
    bool operator==(const LineAllocator&) const { return true; }
};
/// What kernels read and write.
using Buffer = std::vector<double, LineAllocator<double>>;

}  // namespace lacon::kernel
