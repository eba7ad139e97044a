// The pages that are open: what they are to be told, and the run each of them waits for.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace lacon::inline live {

/// A run's way to know that nobody waits for it any more.
using Cancelled = std::shared_ptr<std::atomic<bool>>;

/// Used by several threads. A page is known by the name that it gave itself.
class Visitors {
public:
    static constexpr std::size_t most = 24;  // pages that listen

    /// A page begins to listen; false where there are too many.
    bool arrive(const std::string& page, const std::string& model);
    /// It has gone, and its run is not needed any more.
    void leave(const std::string& page);
    /// Waits for a message to the page, for a second at most: empty where there was none. None:
    /// the page is not to listen any more.
    std::optional<std::string> wait(const std::string& page);

    void tell(const std::string& page, const std::string& message);
    void tell_all_of(const std::string& model, const std::string& message);
    /// Models with a page that listens.
    std::vector<std::string> models() const;

    /// The page asks for a run: an older one of it is cancelled.
    Cancelled begin_run(const std::string& page);
    void end_run(const std::string& page, const Cancelled& run);
    /// Ends all.
    void close();

private:
    struct Visitor {
        std::string model;
        std::deque<std::string> mail;
        int listeners = 0;  // a page that is loaded again listens anew before it is found gone
    };
    mutable std::mutex mutex_;
    std::condition_variable news_;
    std::map<std::string, Visitor> visitors_;
    std::map<std::string, Cancelled> runs_;
    bool closed_ = false;
};

}  // namespace lacon::live
