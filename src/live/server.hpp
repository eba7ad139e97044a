// The server of `lacon view`: pages of models for the browser on this machine.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "live/live_run.hpp"

/// Live pages (docs/view.md). A page asks for runs (POST run), and listens to what changes
/// (events). The server listens on the loopback address only; see Gate for who is let in. It reads
/// the models it was started for, and writes nothing.
namespace lacon::inline live {

struct ServerOptions {
    std::string path;  // of a model, or of a folder of models
    int port = 0;      // 0: any that is free
};

class Server {
public:
    /// Looks at the path and takes the port. Throws LiveError.
    explicit Server(const ServerOptions& options);
    ~Server();

    /// What to open in the browser.
    std::string address() const;
    /// Answers until it is asked to stop, which is looked at some times a second.
    void serve(const std::function<bool()>& stop_asked);

private:
    struct Parts;
    std::shared_ptr<Parts> parts_;  // shared with threads that do not come to their end
};

/// Opens an address in the user's browser, which goes on when this program ends. False where there
/// is no program to do so (xdg-open), or no screen.
bool open_in_browser(const std::string& address);

}  // namespace lacon::live
