// Compares files by identity, so links are seen, and estimates the size of a table from its columns
// and rows: 8 bytes a number in HDF5, 18 in text.
#include "output_files.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/files.hpp"
#include "base/text.hpp"
#include "lang/parse/named_files.hpp"

namespace lacon::app {

namespace {

namespace fs = std::filesystem;

std::string size_text(double bytes) {
    constexpr double kilo = 1e3, mega = 1e6, giga = 1e9;
    if (bytes >= 0.1 * giga) return rounded(bytes / giga, 2) + " GB";
    return bytes >= 0.1 * mega ? rounded(bytes / mega, 2) + " MB"
                               : rounded(bytes / kilo, 2) + " kB";
}

/// Bytes on the disk of a file, with those that the file itself takes; none where that cannot be
/// told.
std::optional<double> room_for(const std::string& file) {
    std::error_code problem;
    const fs::path target = fs::weakly_canonical(file, problem),
                   folder = problem ? fs::path(".") : target.parent_path();
    const fs::space_info space = fs::space(folder.empty() ? "." : folder, problem);
    if (problem) return std::nullopt;
    struct stat there {};
    const bool is_there = ::stat(file.c_str(), &there) == 0;
    if (is_there && !S_ISREG(there.st_mode)) return std::nullopt;
    constexpr double block = 512.0;  // of st_blocks
    return static_cast<double>(space.available) +
           (is_there ? block * static_cast<double>(there.st_blocks) : 0.0);
}

}  // namespace

void check_outputs(const std::string& model, const std::vector<UsedFile>& written,
                   const std::vector<UsedFile>& read) {
    for (std::size_t i = 0; i < written.size(); ++i) {
        const auto& [option, path] = written[i];
        if (path.empty() || path == "-") continue;
        for (const UsedFile& other : read)
            if (!other.path.empty() && other.path != "-" && same_file(path, other.path))
                throw bad_input(
                    model, option,
                    fmt::format("'{}' is {}; it would be overwritten", path, other.what));
        for (std::size_t k = 0; k < i; ++k)
            if (!written[k].path.empty() && same_file(path, written[k].path))
                throw bad_input(model, option,
                                fmt::format("'{}' is already used by {}", path, written[k].what));
    }
}

std::vector<UsedFile> files_of(const DerivedModel& details) {
    std::vector<UsedFile> files{{"the model", details.model.source.name()}};
    for (const std::string& file : named_files(details.model.source))
        files.push_back({"a file that the model reads", file});
    return files;
}

double TableSize::bytes(const std::string& file) const {
    // Of a computed number and what separates it from the next.
    constexpr double bytes_of_text = 18.0;
    const bool binary = fs::path(file).extension() == ".h5";
    return columns * rows * (binary ? sizeof(double) : bytes_of_text);
}

void check_room(const std::string& model, const std::string& out, const TableSize& size,
                double have) {
    if (out.empty() || out == "-") return;
    const std::optional<double> room = room_for(out);
    const double bytes = size.bytes(out);
    if (!room || bytes <= *room - have) return;
    throw bad_input(
        model, "--out",
        fmt::format(
            "not enough disk space for '{}': {} rows of {} columns take about {}, {} are free; "
            "write fewer columns (--columns) or rows (--every), or run anyway (--force)",
            out, rounded(size.rows), size.columns, size_text(bytes),
            size_text(std::max(0.0, *room - have))));
}

std::string large_file_warning(const std::string& out, const TableSize& size) {
    constexpr double large = 4e9, giga = 1e9;
    const double bytes = size.bytes(out);
    if (out.empty() || out == "-" || !(bytes > large)) return {};
    return fmt::format(
        "'{}' will have {} columns and {} rows: about {} GB; to make it smaller, write fewer "
        "columns (--columns) or rows (--every)",
        out, size.columns, rounded(size.rows), rounded(bytes / giga, 2));
}

}  // namespace lacon::app
