// Finds models in a folder.
#include "live/gallery.hpp"

#include <algorithm>
#include <fstream>

namespace lacon::inline live {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t most_models = 2000;
constexpr int deepest = 3;

/// What `model "…"` says, from the head of the file.
std::string title_of(const fs::path& path) {
    constexpr int most_lines = 200;
    std::ifstream file(path);
    std::string line;
    for (int i = 0; i < most_lines && std::getline(file, line); ++i) {
        if (!line.starts_with("model")) continue;
        const auto begin = line.find('"'), end = line.find('"', begin + 1);
        if (begin != line.npos && end != line.npos) return line.substr(begin + 1, end - begin - 1);
    }
    return {};
}

bool is_below(const fs::path& path, const fs::path& folder) {
    std::error_code missing;
    const fs::path whole = fs::canonical(path, missing);
    if (missing) return false;
    const fs::path from_folder = whole.lexically_relative(folder);
    return !from_folder.empty() && *from_folder.begin() != "..";
}

}  // namespace

std::vector<ModelFile> models_in(const fs::path& folder) {
    std::vector<ModelFile> models;
    std::error_code problem;
    const fs::path whole = fs::canonical(folder, problem);
    auto entry = fs::recursive_directory_iterator(
        folder, fs::directory_options::skip_permission_denied, problem);
    for (; !problem && entry != fs::recursive_directory_iterator(); entry.increment(problem)) {
        const fs::path& path = entry->path();
        std::error_code missing;
        if (entry->is_directory(missing)) {
            const bool hidden = path.filename().string().starts_with('.');
            if (hidden || entry.depth() >= deepest) entry.disable_recursion_pending();
            continue;
        }
        if (path.extension() != ".lac" || !entry->is_regular_file(missing)) continue;
        if (!is_below(path, whole)) continue;
        models.push_back({path.lexically_relative(folder).generic_string(), title_of(path)});
        if (models.size() == most_models) break;
    }
    const auto folder_of = [](const ModelFile& model) {
        const auto slash = model.name.rfind('/');
        return slash == std::string::npos ? std::string() : model.name.substr(0, slash);
    };
    std::sort(models.begin(), models.end(), [&](const ModelFile& a, const ModelFile& b) {
        return std::pair(folder_of(a), a.name) < std::pair(folder_of(b), b.name);
    });
    return models;
}

}  // namespace lacon::live
