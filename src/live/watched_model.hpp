// A model file that is read again when it, or a file that it names, is saved.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "mechanics/system/derived_model.hpp"

namespace lacon::inline live {

/// The model as the file says it now. Does not change.
struct ReadModel {
    std::uint64_t version = 0;  // counts readings that differ
    /// Of the last text without errors, at the values of the file; none: there was none yet.
    std::shared_ptr<const DerivedModel> details;
    std::string errors;    // of the text as it is now, with place, caret and hint; else empty
    std::string warnings;  // likewise
};

/// Used by several threads.
class WatchedModel {
public:
    /// `path` as it is shown in messages.
    explicit WatchedModel(std::string path);

    std::shared_ptr<const ReadModel> read() const;
    /// Reads again where a file has changed; says whether that was so.
    bool look();
    /// The last good model with other values of its parameters. Throws std::invalid_argument with a
    /// sentence.
    std::shared_ptr<const DerivedModel> with(const Settings& settings) const;
    const std::string& path() const { return path_; }

private:
    /// What tells that a file was saved.
    struct Seen {
        std::string path;
        std::filesystem::file_time_type time;
        std::uintmax_t size = 0;
        bool operator==(const Seen&) const = default;
    };
    static Seen seen(const std::string& path);
    void read_again();
    std::shared_ptr<const DerivedModel> shaped(const ReadModel& read, const Settings& shape) const;

    std::string path_;
    std::mutex reading_;        // held by who reads the file again
    mutable std::mutex mutex_;  // of what follows
    std::shared_ptr<const ReadModel> read_;
    std::vector<Seen> files_;
    /// The model with other sizes of its families, as last asked for.
    struct Shaped {
        std::uint64_t version = 0;
        Settings shape;
        std::shared_ptr<const DerivedModel> details;
    };
    mutable Shaped shaped_;
};

}  // namespace lacon::live
