// The models that a server was started for.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "live/gallery.hpp"
#include "live/watched_model.hpp"

namespace lacon::inline live {

/// One model, or those of a folder. A model is asked for by its name in the list, so that no name
/// leads anywhere else. Used by several threads.
class Shelf {
public:
    /// Throws LiveError for a path that is neither, and for a folder without models.
    explicit Shelf(const std::string& path);

    bool is_gallery() const { return is_gallery_; }
    /// The only model; of a folder none.
    const std::string& only() const { return only_; }
    std::string title() const;
    std::vector<ModelFile> models() const;
    /// The file of a name; empty where it is no model of the shelf.
    std::string path_of(const std::string& name) const;
    /// The model, read when it is first asked for; none where the name is unknown.
    std::shared_ptr<WatchedModel> model(const std::string& name);
    /// Forgets the models that are not in this list when there are many.
    void keep(const std::vector<std::string>& names);

private:
    std::string path_, only_;
    std::filesystem::path folder_;
    bool is_gallery_ = false;
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<WatchedModel>> open_;
};

}  // namespace lacon::live
