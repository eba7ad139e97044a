// A socket rather than pipes: writing to a browser that has ended is then an error, not a signal.
#include "film/browser.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "film/film.hpp"

namespace lacon::inline film {

std::string find_browser() {
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
        if (std::string path = find_program(name); !path.empty()) return path;
    return {};
}

namespace {

constexpr int patience = 120'000;  // ms without a word from the browser: it hangs

/// Whether this user may make the namespaces that Chromium's sandbox is built from. A child tries,
/// as there is no way back.
bool may_make_namespaces() {
    const pid_t child = ::fork();
    if (child == 0) ::_exit(::unshare(CLONE_NEWUSER) == 0 && ::unshare(CLONE_NEWNET) == 0 ? 0 : 1);
    int status = 1;
    while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return child > 0 && status == 0;
}

/// Root has none, and it needs namespaces of users. The page is our own all the same.
bool has_sandbox() {
    return ::geteuid() != 0 && may_make_namespaces();
}

std::vector<std::string> arguments(const std::string& folder) {
    std::vector<std::string> words{"--headless",
                                   "--disable-gpu",
                                   "--use-gl=angle",
                                   "--use-angle=swiftshader",
                                   "--enable-unsafe-swiftshader",
                                   "--disable-background-networking",
                                   "--disable-component-update",
                                   "--disable-sync",
                                   "--disable-extensions",
                                   "--disable-dev-shm-usage",
                                   "--no-first-run",
                                   "--hide-scrollbars",
                                   "--mute-audio",
                                   "--remote-debugging-pipe",
                                   "--user-data-dir=" + folder};
    if (!has_sandbox()) words.push_back("--no-sandbox");
    words.push_back("about:blank");
    return words;
}

/// A descriptor that is closed with the object.
class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() { ::close(number_); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    operator int() const { return number_; }

private:
    int number_;
};

}  // namespace

Browser::Browser(const std::string& url, const std::string& folder, std::size_t width,
                 std::size_t height) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        throw FilmError(fmt::format("cannot talk to the browser: {}", std::strerror(errno)));
    socket_ = ends[0];
    try {
        const Descriptor theirs(ends[1]), nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
        const ChildFile files[] = {
            {nothing, 0}, {nothing, 1}, {nothing, 2}, {theirs, 3}, {theirs, 4}};
        child_ = std::make_unique<Child>(find_browser(), arguments(folder), files);
    } catch (const ProgramError& problem) {
        ::close(socket_);
        throw FilmError(problem.what());
    }
    const nlohmann::json target = send("Target.createTarget", {{"url", "about:blank"}});
    session_ =
        send("Target.attachToTarget", {{"targetId", target.at("targetId")}, {"flatten", true}})
            .at("sessionId");
    send("Emulation.setDeviceMetricsOverride",
         {{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}});
    send("Page.navigate", {{"url", url}});
}

Browser::~Browser() {
    child_.reset();
    ::close(socket_);
}

nlohmann::json Browser::evaluate(const std::string& expression) {
    nlohmann::json answer =
        send("Runtime.evaluate",
             {{"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}});
    if (answer.contains("exceptionDetails"))
        throw FilmError("the page failed: " + answer["exceptionDetails"]
                                                  .value("exception", nlohmann::json::object())
                                                  .value("description", "no reason given"));
    return answer["result"].value("value", nlohmann::json());
}

/// Sends a command and waits for its answer; what the browser says besides is not listened to.
nlohmann::json Browser::send(const std::string& method, nlohmann::json parameters) {
    nlohmann::json command{{"id", ++last_}, {"method", method}, {"params", std::move(parameters)}};
    if (!session_.empty()) command["sessionId"] = session_;
    std::string text = command.dump();
    text += '\0';
    for (std::size_t sent = 0; sent < text.size();) {
        const ssize_t n = ::send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
        if (n <= 0 && errno != EINTR) throw FilmError("the browser has ended");
        if (n > 0) sent += static_cast<std::size_t>(n);
    }
    for (;;) {
        nlohmann::json answer = nlohmann::json::parse(message());
        if (answer.value("id", 0) != last_) continue;
        if (answer.contains("error"))
            throw FilmError(fmt::format("the browser refused {}: {}", method,
                                        answer["error"].value("message", "no reason given")));
        return answer["result"];
    }
}

std::string Browser::message() {
    for (;;) {
        if (const auto end = received_.find('\0'); end != received_.npos) {
            std::string text = received_.substr(0, end);
            received_.erase(0, end + 1);
            return text;
        }
        pollfd waiting{socket_, POLLIN, 0};
        const int ready = ::poll(&waiting, 1, patience);
        if (ready < 0 && errno == EINTR) continue;
        if (ready == 0) throw FilmError("the browser does not answer");
        std::string piece(1 << 16, '\0');
        const ssize_t n = ::recv(socket_, piece.data(), piece.size(), 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) throw FilmError("the browser has ended");
        received_.append(piece, 0, static_cast<std::size_t>(n));
    }
}

}  // namespace lacon::film
