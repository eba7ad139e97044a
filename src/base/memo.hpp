// A thread-safe store for objects that are derived from a constant object and made on first use.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace lacon::inline base {

/// What was made from something that does not change, kept with it: made once, whoever asks. Copies
/// begin empty.
class Memo {
public:
    Memo() = default;
    Memo(const Memo&) {}
    Memo& operator=(const Memo&) { return *this; }

    /// What was made under this key, or is made now. What `make` throws is passed on, and nothing
    /// is kept.
    template <class T>
    std::shared_ptr<T> get(const std::string& key,
                           const std::function<std::shared_ptr<T>()>& make) {
        const std::lock_guard lock(mutex_);
        std::shared_ptr<void>& kept = kept_[key];
        if (!kept) kept = make();
        return std::static_pointer_cast<T>(kept);
    }

private:
    std::mutex mutex_;
    std::map<std::string, std::shared_ptr<void>> kept_;
};

}  // namespace lacon::base
