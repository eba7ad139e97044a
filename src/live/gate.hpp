// Who may ask the server, and how often.
#pragma once

#include <chrono>
#include <mutex>
#include <string>
#include <string_view>

namespace lacon::inline live {

/// What is known of a request before it is answered.
struct Knock {
    std::string_view method, token, host, origin, site;  // site: of Sec-Fetch-Site
};

/// Lets in who has the address, token included, and no page of another site. A page elsewhere may
/// send requests here, but it knows no token; one whose name was bound to this machine (DNS
/// rebinding) has the wrong Host; and what it may post without asking has its Origin.
class Gate {
public:
    /// 16 bytes of the system's randomness, as text.
    static std::string new_token();

    Gate(std::string token, int port);
    /// The status of a refusal: 404 for a wrong token, 403 for a wrong host or origin, 429 for too
    /// many requests; 0: come in.
    int refusal(const Knock& knock);
    const std::string& token() const { return token_; }

private:
    bool is_too_often();

    std::string token_, host_, by_name_;
    std::mutex mutex_;  // of what follows
    double left_;       // requests that may come at once
    std::chrono::steady_clock::time_point at_ = std::chrono::steady_clock::now();
};

}  // namespace lacon::live
