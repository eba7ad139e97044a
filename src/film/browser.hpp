// A browser without a screen, driven through its debugging protocol.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/programs.hpp"

namespace lacon::inline film {

/// The path of Chromium; empty where there is none.
std::string find_browser();

/// One page in a browser of its own. It is told what to do through a socket that only the two of
/// them have (--remote-debugging-pipe: messages of JSON, each with a zero byte behind it).
class Browser {
public:
    /// `folder`: where the browser may keep its files. Throws FilmError.
    Browser(const std::string& url, const std::string& folder, std::size_t width,
            std::size_t height);
    ~Browser();

    /// The value of an expression of the page; a promise is waited for. Throws FilmError.
    nlohmann::json evaluate(const std::string& expression);

private:
    nlohmann::json send(const std::string& method, nlohmann::json parameters);
    std::string message();

    int socket_ = -1;
    std::unique_ptr<Child> child_;
    std::string session_, received_;
    int last_ = 0;  // number of a message
};

}  // namespace lacon::film
