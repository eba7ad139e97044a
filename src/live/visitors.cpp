// One lock for all: messages are few and short.
#include "live/visitors.hpp"

#include <algorithm>
#include <chrono>

namespace lacon::inline live {

namespace {

constexpr std::size_t most_mail = 64;  // of a page that does not read: the oldest is dropped

}  // namespace

bool Visitors::arrive(const std::string& page, const std::string& model) {
    const std::lock_guard lock(mutex_);
    if (closed_ || (!visitors_.contains(page) && visitors_.size() >= most)) return false;
    Visitor& visitor = visitors_[page];
    visitor.model = model;
    ++visitor.listeners;
    return true;
}

void Visitors::leave(const std::string& page) {
    const std::lock_guard lock(mutex_);
    const auto found = visitors_.find(page);
    if (found == visitors_.end() || --found->second.listeners > 0) return;
    visitors_.erase(found);
    if (const auto run = runs_.find(page); run != runs_.end()) *run->second = true;
}

std::optional<std::string> Visitors::wait(const std::string& page) {
    std::unique_lock lock(mutex_);
    const auto has_news = [&] {
        const auto found = visitors_.find(page);
        return closed_ || found == visitors_.end() || !found->second.mail.empty();
    };
    news_.wait_for(lock, std::chrono::seconds(1), has_news);
    const auto found = visitors_.find(page);
    if (closed_ || found == visitors_.end()) return std::nullopt;
    if (found->second.mail.empty()) return "";
    std::string message = std::move(found->second.mail.front());
    found->second.mail.pop_front();
    return message;
}

void Visitors::tell(const std::string& page, const std::string& message) {
    const std::lock_guard lock(mutex_);
    const auto found = visitors_.find(page);
    if (found == visitors_.end()) return;
    found->second.mail.push_back(message);
    if (found->second.mail.size() > most_mail) found->second.mail.pop_front();
    news_.notify_all();
}

void Visitors::tell_all_of(const std::string& model, const std::string& message) {
    const std::lock_guard lock(mutex_);
    for (auto& [page, visitor] : visitors_)
        if (visitor.model == model) visitor.mail.push_back(message);
    news_.notify_all();
}

std::vector<std::string> Visitors::models() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> models;
    for (const auto& [page, visitor] : visitors_)
        if (std::find(models.begin(), models.end(), visitor.model) == models.end())
            models.push_back(visitor.model);
    return models;
}

Cancelled Visitors::begin_run(const std::string& page) {
    const std::lock_guard lock(mutex_);
    auto run = std::make_shared<std::atomic<bool>>(closed_);
    Cancelled& kept = runs_[page];
    if (kept) *kept = true;
    kept = run;
    return run;
}

void Visitors::end_run(const std::string& page, const Cancelled& run) {
    const std::lock_guard lock(mutex_);
    if (const auto found = runs_.find(page); found != runs_.end() && found->second == run)
        runs_.erase(found);
}

void Visitors::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    for (const auto& [page, run] : runs_) *run = true;
    news_.notify_all();
}

}  // namespace lacon::live
