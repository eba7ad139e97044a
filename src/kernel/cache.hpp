// The disk cache of compiled kernels.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernel/generate.hpp"
#include "kernel/image.hpp"

/// Compiled kernels on disk, so that a model that has been run before starts at once. Files are
/// named by their content's key and put in place by renaming, so any number of programs may share
/// the folder; one that was damaged counts as missing. What is kept is limited in size, the longest
/// unused goes first. A folder that others may write to is not used: its files would be run.
namespace lacon::kernel {

constexpr std::uint64_t cache_limit = 256 * 1024 * 1024;  // bytes

/// LACON_CACHE_DIR, else lacon/ below XDG_CACHE_HOME or ~/.cache; empty where there is none.
std::string cache_folder();

/// Of the code, the target and this version of the generator: 32 hexadecimal digits.
std::string key_of(const Request& request);

std::optional<Image> read_cached(const std::string& key);
/// Keeps an image; nothing happens where that is not possible.
void write_cached(const std::string& key, const Image& image);

}  // namespace lacon::kernel
