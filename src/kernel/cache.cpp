// The disk cache of kernels. Key and checksum are 128-bit hashes, the time stamp of a file is its
// last use, and the folder must be writable by the user alone.
#include "kernel/cache.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

namespace lacon::kernel {

namespace {

namespace fs = std::filesystem;

/// Two streams of 64 bits over the same words; collisions are out of the question for what is not
/// made to collide.
struct Hash {
    std::uint64_t a = 0x243f6a8885a308d3ULL, b = 0x13198a2e03707344ULL;
    void add(std::uint64_t x) {
        a = (a ^ x) * 0x9e3779b97f4a7c15ULL;
        a ^= a >> 32;
        b = (b + x) * 0xd6e8feb86659fd93ULL;
        b ^= b >> 29;
    }
};

struct Header {
    std::array<char, 8> magic{'l', 'a', 'c', 'o', 'n', 'k', '0', '1'};
    std::uint64_t entry = 0, work = 0, size = 0, check_a = 0, check_b = 0;
    bool operator==(const Header&) const = default;
};

Header header_of(const Image& image, const std::string& key) {
    Hash hash;
    for (const char c : key) hash.add(static_cast<unsigned char>(c));
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < image.bytes.size(); i += 8) {
        word = 0;
        std::memcpy(&word, image.bytes.data() + i,
                    std::min<std::size_t>(8, image.bytes.size() - i));
        hash.add(word);
    }
    hash.add(image.entry);
    hash.add(image.work);
    Header header;
    header.entry = image.entry;
    header.work = image.work;
    header.size = image.bytes.size();
    header.check_a = hash.a;
    header.check_b = hash.b;
    return header;
}

/// Whether nobody else can have put something there.
bool is_ours(const std::string& folder) {
    struct stat info {};
    return ::stat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
           info.st_uid == ::geteuid() && (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

fs::path file_of(const std::string& key) {
    return fs::path(cache_folder()) / (key + ".kernel");
}

/// Removes what was used least recently until the rest is below the limit.
void trim(const std::string& folder) {
    struct Entry {
        fs::file_time_type time;
        std::uint64_t size;
        fs::path path;
    };
    std::vector<Entry> entries;
    std::uint64_t total = 0;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
        if (entry.path().extension() != ".kernel") continue;
        std::error_code failed;
        const auto size = entry.file_size(failed);
        const auto time = entry.last_write_time(failed);
        if (failed) continue;
        total += size;
        entries.push_back({time, size, entry.path()});
    }
    std::sort(entries.begin(), entries.end(),
              [](const Entry& x, const Entry& y) { return x.time < y.time; });
    for (const Entry& entry : entries) {
        if (total <= cache_limit) return;
        fs::remove(entry.path, ignored);
        total -= entry.size;
    }
}

}  // namespace

std::string cache_folder() {
    const auto variable = [](const char* name) {
        const char* value = std::getenv(name);
        return std::string(value ? value : "");
    };
    if (const std::string own = variable("LACON_CACHE_DIR"); !own.empty()) return own;
    if (const std::string base = variable("XDG_CACHE_HOME"); !base.empty()) return base + "/lacon";
    if (const std::string home = variable("HOME"); !home.empty()) return home + "/.cache/lacon";
    return {};
}

std::string key_of(const Request& request) {
    Hash hash;
    for (const char c : std::string_view(LACON_VERSION)) hash.add(static_cast<unsigned char>(c));
    hash.add(generator_version);
    hash.add(static_cast<std::uint64_t>(request.isa));
    hash.add(request.lanes);
    hash.add(static_cast<std::uint64_t>(request.effort));
    hash.add(static_cast<std::uint64_t>(request.form));
#ifdef __aarch64__
    hash.add(1);
#endif
    const Code& code = request.code;
    for (std::size_t i = 0; i < code.size(); ++i) {
        const Node& node = code[static_cast<std::uint32_t>(i)];
        std::uint64_t value = 0;
        std::memcpy(&value, &node.value, 8);
        hash.add((static_cast<std::uint64_t>(node.op) << 40) |
                 (static_cast<std::uint64_t>(node.function) << 32) | node.a);
        hash.add((static_cast<std::uint64_t>(node.b) << 32) | node.c);
        hash.add(value);
    }
    for (const std::uint32_t output : code.outputs) hash.add(output);
    hash.add(code.series.top);
    hash.add((std::uint64_t{code.series.side_by_side} << 32) | code.series.items);
    for (const Series::Store& store : code.series.stores) {
        hash.add((std::uint64_t{store.slot} << 32) | store.shift);
        hash.add((std::uint64_t{store.value} << 1) | (store.backwards ? 1 : 0));
    }
    return fmt::format("{:016x}{:016x}", hash.a, hash.b);
}

std::optional<Image> read_cached(const std::string& key) {
    const std::string folder = cache_folder();
    if (folder.empty() || !is_ours(folder)) return std::nullopt;
    std::ifstream in(file_of(key), std::ios::binary);
    Header header;
    if (!in.read(reinterpret_cast<char*>(&header), sizeof(header)) || header.size > cache_limit)
        return std::nullopt;
    Image image;
    image.entry = header.entry;
    image.work = header.work;
    image.bytes.resize(header.size);
    in.read(reinterpret_cast<char*>(image.bytes.data()), static_cast<std::streamsize>(header.size));
    if (!in || in.peek() != std::ifstream::traits_type::eof() || header != header_of(image, key))
        return std::nullopt;
    std::error_code ignored;
    fs::last_write_time(file_of(key), fs::file_time_type::clock::now(), ignored);
    return image;
}

void write_cached(const std::string& key, const Image& image) {
    const std::string folder = cache_folder();
    std::error_code failed;
    if (folder.empty()) return;
    if (fs::create_directories(folder, failed))
        fs::permissions(folder, fs::perms::owner_all, failed);
    if (failed || !is_ours(folder)) return;
    std::string temporary = folder + "/new-XXXXXX";
    const int file = ::mkstemp(temporary.data());
    if (file < 0) return;
    ::close(file);
    const Header header = header_of(image, key);
    std::ofstream out(temporary, std::ios::binary);
    out.write(reinterpret_cast<const char*>(&header), sizeof(header));
    out.write(reinterpret_cast<const char*>(image.bytes.data()),
              static_cast<std::streamsize>(image.bytes.size()));
    out.close();
    if (out) fs::rename(temporary, file_of(key), failed);
    if (!out || failed) fs::remove(temporary, failed);
    trim(folder);
}

}  // namespace lacon::kernel
