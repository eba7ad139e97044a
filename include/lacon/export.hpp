// What the shared library shows: everything else is hidden.
#pragma once

/// Before a class or function of the public interface. The static library ignores it.
#if defined(__GNUC__)
#define LACON_EXPORT __attribute__((visibility("default")))
#else
#define LACON_EXPORT
#endif
