// The list is made anew when it is asked for: files come and go.
#include "live/shelf.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "live/live_run.hpp"

namespace lacon::inline live {

Shelf::Shelf(const std::string& path) : path_(path) {
    std::error_code missing;
    if (!std::filesystem::exists(path, missing))
        throw LiveError(fmt::format("cannot read '{}': there is no such file", path));
    is_gallery_ = std::filesystem::is_directory(path, missing);
    if (is_gallery_) {
        folder_ = path;
        if (models().empty())
            throw LiveError(fmt::format("the folder '{}' has no models (.lac)", path));
        return;
    }
    if (std::filesystem::path(path).extension() != ".lac")
        throw LiveError(fmt::format("'{}' is not a model: its name must end in .lac", path));
    folder_ = std::filesystem::path(path).parent_path();
    only_ = std::filesystem::path(path).filename().string();
}

std::string Shelf::title() const {
    if (!is_gallery_) return only_;
    std::string name = std::filesystem::path(path_).filename().string();
    if (name.empty() || name == ".")
        name = std::filesystem::absolute(path_).parent_path().filename().string();
    return name;
}

std::vector<ModelFile> Shelf::models() const {
    if (!is_gallery_) return {{only_, ""}};
    return models_in(folder_);
}

std::string Shelf::path_of(const std::string& name) const {
    if (!is_gallery_) return name == only_ ? path_ : "";
    const std::vector<ModelFile> all = models();
    const bool known = std::any_of(all.begin(), all.end(),
                                   [&](const ModelFile& model) { return model.name == name; });
    return known ? (folder_ / name).string() : "";
}

std::shared_ptr<WatchedModel> Shelf::model(const std::string& name) {
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = open_.find(name); found != open_.end()) return found->second;
    }
    const std::string path = path_of(name);
    if (path.empty()) return nullptr;
    auto made = std::make_shared<WatchedModel>(path);
    const std::lock_guard lock(mutex_);
    return open_.try_emplace(name, std::move(made)).first->second;
}

void Shelf::keep(const std::vector<std::string>& names) {
    constexpr std::size_t many = 32;
    const std::lock_guard lock(mutex_);
    if (open_.size() <= many) return;
    std::erase_if(open_, [&](const auto& entry) {
        return std::find(names.begin(), names.end(), entry.first) == names.end();
    });
}

}  // namespace lacon::live
