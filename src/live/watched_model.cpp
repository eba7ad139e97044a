// Files are looked at by their time and size: editors put a new file in the place of the old one,
// which is nothing to hold on to.
#include "live/watched_model.hpp"

#include <algorithm>
#include <stdexcept>

#include "lang/parse/named_files.hpp"
#include "parameters.hpp"
#include "pipeline.hpp"

namespace lacon::inline live {

WatchedModel::WatchedModel(std::string path) : path_(std::move(path)) {
    read_ = std::make_shared<ReadModel>();
    read_again();
}

std::shared_ptr<const ReadModel> WatchedModel::read() const {
    const std::lock_guard lock(mutex_);
    return read_;
}

WatchedModel::Seen WatchedModel::seen(const std::string& path) {
    std::error_code missing;
    Seen file{path, std::filesystem::last_write_time(path, missing), 0};
    if (missing) file.time = {};
    file.size = std::filesystem::file_size(path, missing);
    return file;
}

bool WatchedModel::look() {
    const std::lock_guard reading(reading_);
    {
        const std::lock_guard lock(mutex_);
        if (std::all_of(files_.begin(), files_.end(),
                        [](const Seen& file) { return seen(file.path) == file; }))
            return false;
    }
    read_again();
    return true;
}

/// The files are looked at before they are read: one that is saved meanwhile is read once more.
void WatchedModel::read_again() {
    std::vector<Seen> files{seen(path_)};
    auto now = std::make_shared<ReadModel>(*read());
    ++now->version;
    now->errors.clear();
    now->warnings.clear();
    try {
        const SourceText source = read_source(path_);
        for (const std::string& file : named_files(source)) files.push_back(seen(file));
        Built built = build(source);
        if (built.details) {
            now->details = built.details;
            now->warnings = render(built.diagnostics, source);
        } else {
            now->errors = render(built.diagnostics, source);
        }
    } catch (const std::exception& problem) {
        now->errors = problem.what();
    }
    const std::lock_guard lock(mutex_);
    files_ = std::move(files);
    read_ = std::move(now);
}

namespace {

/// Parts `settings`: those that determine the structure of the model, and the others.
std::pair<Settings, Settings> parted(const DerivedModel& details, const Settings& settings) {
    std::pair<Settings, Settings> parts;
    for (const auto& setting : settings) {
        const auto& all = details.model.parameters;
        const auto found = std::find_if(all.begin(), all.end(), [&](const Parameter& parameter) {
            return parameter.name == setting.first;
        });
        (found != all.end() && found->shapes ? parts.first : parts.second).push_back(setting);
    }
    return parts;
}

}  // namespace

std::shared_ptr<const DerivedModel> WatchedModel::with(const Settings& settings) const {
    const std::shared_ptr<const ReadModel> now = read();
    if (!now->details) throw std::invalid_argument(now->errors);
    const auto [shape, others] = parted(*now->details, settings);
    const std::shared_ptr<const DerivedModel> details = shaped(*now, shape);
    return others.empty() ? details : with_parameters(*details, others);
}

/// With other sizes of families the model is built anew, from the text that was good.
std::shared_ptr<const DerivedModel> WatchedModel::shaped(const ReadModel& read,
                                                         const Settings& shape) const {
    if (shape.empty()) return read.details;
    {
        const std::lock_guard lock(mutex_);
        if (shaped_.version == read.version && shaped_.shape == shape) return shaped_.details;
    }
    const SourceText& source = read.details->model.source;
    const Built built = build(source, shape);
    if (!built.details)
        throw std::invalid_argument(render(built.diagnostics, source) + built.unknown_settings);
    const std::lock_guard lock(mutex_);
    shaped_ = {read.version, shape, built.details};
    return built.details;
}

}  // namespace lacon::live
