// The checks, in an order that tells a stranger nothing but "not found".
#include "live/gate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace lacon::inline live {

namespace {

// A page sends one request after the other, some 30 a second while a slider moves.
constexpr double most_at_once = 400.0, refill = 200.0;  // requests; a second

/// Takes as long wherever the first difference is.
bool same(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    unsigned char differ = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        differ = static_cast<unsigned char>(differ | (a[i] ^ b[i]));
    return differ == 0;
}

}  // namespace

std::string Gate::new_token() {
    std::random_device system;  // getrandom or the like: not to be guessed
    std::string token;
    for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", system());
    return token;
}

Gate::Gate(std::string token, int port)
    : token_(std::move(token)),
      host_(fmt::format("127.0.0.1:{}", port)),
      by_name_(fmt::format("localhost:{}", port)),
      left_(most_at_once) {}

int Gate::refusal(const Knock& knock) {
    constexpr int not_found = 404, forbidden = 403, too_many = 429;
    if (!same(knock.token, token_)) return not_found;
    if (knock.host != host_ && knock.host != by_name_) return forbidden;
    const bool is_own = knock.origin == fmt::format("http://{}", knock.host);
    if (!knock.origin.empty() && !is_own) return forbidden;
    if (knock.method != "GET" && !is_own) return forbidden;
    if (!knock.site.empty() && knock.site != "same-origin" && knock.site != "none")
        return forbidden;
    return is_too_often() ? too_many : 0;
}

bool Gate::is_too_often() {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    left_ += refill * std::chrono::duration<double>(now - at_).count();
    left_ = std::min(left_, most_at_once);
    at_ = now;
    if (left_ < 1.0) return true;
    left_ -= 1.0;
    return false;
}

}  // namespace lacon::live
