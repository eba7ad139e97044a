// Routes and threads. HTTP itself is that of cpp-httplib.
#include "live/server.hpp"

#include <fmt/format.h>
#include <httplib.h>

#include <map>
#include <thread>

#include "live/gate.hpp"
#include "live/shelf.hpp"
#include "live/visitors.hpp"
#include "page/page.hpp"
#include "pipeline.hpp"

namespace lacon::inline live {

namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

// Of a request: the start values of 300 coordinates and their velocities take some 30 kB.
constexpr std::size_t largest_body = 128 * 1024;
// Each page holds one for its messages; a page that is slow holds one too, for a second at most.
constexpr std::size_t threads = 64;
constexpr auto look_pause = 150ms;      // between looks at the files
constexpr auto progress_pause = 150ms;  // between words about a run
constexpr auto patience = 2s;           // at the end, for threads to come to theirs

constexpr const char* json_type = "application/json";

/// Runs that are computed at the same time: as many as there are cores.
class Slots {
public:
    explicit Slots(unsigned count) : free_(std::max(1U, count)) {}

    /// A slot, once there is one; false where `stop` holds before.
    bool take(const std::function<bool()>& stop) {
        std::unique_lock lock(mutex_);
        while (free_ == 0) {
            if (stop()) return false;
            freed_.wait_for(lock, 20ms);
        }
        --free_;
        return true;
    }
    void give_back() {
        const std::lock_guard lock(mutex_);
        ++free_;
        freed_.notify_one();
    }

private:
    std::mutex mutex_;
    std::condition_variable freed_;
    unsigned free_;
};

std::string event(const char* kind, const Json& data) {
    return fmt::format("event: {}\ndata: {}\n\n", kind,
                       data.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void answer(httplib::Response& response, int status, const Json& json) {
    response.status = status;
    response.set_content(json.dump(-1, ' ', false, Json::error_handler_t::replace), json_type);
}

void refuse(httplib::Response& response, int status, const std::string& why) {
    answer(response, status, {{"error", why}});
}

/// What a page may load: nothing but itself and this server. And nobody is told its address.
httplib::Headers page_headers() {
    return {{"Content-Security-Policy",
             "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; "
             "img-src data: blob:; media-src blob:; connect-src 'self'; frame-ancestors 'none'; "
             "base-uri 'none'; form-action 'none'"},
            {"Cache-Control", "no-store"},
            {"Cross-Origin-Opener-Policy", "same-origin"},
            {"Cross-Origin-Resource-Policy", "same-origin"},
            {"Referrer-Policy", "no-referrer"},
            {"X-Content-Type-Options", "nosniff"}};
}

/// Without SO_REUSEPORT, which the library would set: with it two servers could share a port.
void choose_socket_options(socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

}  // namespace

struct Server::Parts : std::enable_shared_from_this<Server::Parts> {
    explicit Parts(const ServerOptions& options) : shelf(options.path) {
        if (const std::string why = why_no_page(); !why.empty()) throw LiveError(why);
        http.new_task_queue = [] { return new httplib::ThreadPool(threads); };
        http.set_socket_options(choose_socket_options);
        http.set_tcp_nodelay(true);
        http.set_payload_max_length(largest_body);
        http.set_keep_alive_max_count(1000);
        http.set_keep_alive_timeout(1);
        http.set_read_timeout(1s);
        http.set_write_timeout(10s);
        http.set_default_headers(page_headers());
        take_port(options.port);
        gate.emplace(Gate::new_token(), port);
        add_routes();
    }

    void take_port(int wanted) {
        constexpr const char* loopback = "127.0.0.1";
        const bool taken = wanted == 0 ? (port = http.bind_to_any_port(loopback)) > 0
                                       : http.bind_to_port(loopback, port = wanted);
        if (taken) return;
        throw LiveError(wanted == 0
                            ? std::string("no port of this machine can be listened on")
                            : fmt::format("cannot listen on port {}: it is in use or not allowed; "
                                          "choose another one (--port), or none",
                                          wanted));
    }

    // ---- routes

    using Handler = std::function<void(const httplib::Request&, httplib::Response&)>;

    /// The gate, before a body is read; of those the page sends none packed, or of unknown length.
    httplib::Server::HandlerResponse at_gate(const httplib::Request& request,
                                             httplib::Response& response) {
        const std::string& path = request.path;
        const std::string token = path.size() > 1 ? path.substr(1, path.find('/', 1) - 1) : "";
        const std::string host = request.get_header_value("Host");
        const std::string origin = request.get_header_value("Origin");
        const std::string site = request.get_header_value("Sec-Fetch-Site");
        int status = gate->refusal({request.method, token, host, origin, site});
        if (status == 0 &&
            (request.has_header("Content-Encoding") || request.has_header("Transfer-Encoding")))
            status = 415;
        if (status == 0) return httplib::Server::HandlerResponse::Unhandled;
        refuse(response, status, "refused");
        return httplib::Server::HandlerResponse::Handled;
    }

    /// A handler whose failures are answers.
    static httplib::Server::Handler guarded(Handler handler) {
        return [handler = std::move(handler)](const httplib::Request& request,
                                              httplib::Response& response) {
            try {
                handler(request, response);
            } catch (const Interrupted&) {
                refuse(response, 409, "a newer request has come");
            } catch (const Json::exception&) {
                refuse(response, 400, "this is no request of the page");
            } catch (const std::exception& problem) {
                refuse(response, 422, problem.what());
            }
        };
    }

    void add_routes() {
        http.set_pre_routing_handler(
            [this](const auto& request, auto& response) { return at_gate(request, response); });
        const auto get = [this](const std::string& what, Handler handler) {
            http.Get("/([0-9a-f]+)/" + what, guarded(std::move(handler)));
        };
        get("", [this](const auto& request, auto& response) { give_page(request, response); });
        get("models", [this](const auto&, auto& response) { list_models(response); });
        get("picture", [this](const auto& request, auto& response) { draw(request, response); });
        get("model", [this](const auto& request, auto& response) { describe(request, response); });
        get("events", [this](const auto& request, auto& response) { listen(request, response); });
        http.Post("/([0-9a-f]+)/run",
                  guarded([this](const auto& request, auto& response) { run(request, response); }));
    }

    std::string name_in(const httplib::Request& request) const {
        return request.has_param("model") ? request.get_param_value("model") : shelf.only();
    }

    std::shared_ptr<WatchedModel> model_of(const httplib::Request& request) {
        auto model = shelf.model(name_in(request));
        if (!model) throw LiveError("there is no such model");
        return model;
    }

    /// The page of a model, or that of the folder.
    void give_page(const httplib::Request& request, httplib::Response& response) {
        const std::string name = name_in(request);
        if (!name.empty() && shelf.path_of(name).empty())
            return refuse(response, 404, "there is no such model");
        const Json task{{"model", name},
                        {"path", name.empty() ? "" : shelf.path_of(name)},
                        {"gallery", shelf.is_gallery()},
                        {"folder", shelf.title()}};
        response.set_content(live_page(name.empty() ? shelf.title() : name, task.dump()),
                             "text/html; charset=utf-8");
    }

    void list_models(httplib::Response& response) {
        Json list = Json::array();
        for (const ModelFile& model : shelf.models())
            list.push_back({{"name", model.name}, {"title", model.title}});
        answer(response, 200, list);
    }

    void draw(const httplib::Request& request, httplib::Response& response) {
        const std::string path = shelf.path_of(name_in(request));
        if (path.empty()) throw LiveError("there is no such model");
        const Slot slot(*this, [this] { return is_stopping.load(); });
        const SourceText source = read_source(path);
        const Built built = build(source);
        if (!built.details) throw LiveError(render(built.diagnostics, source));
        response.set_content(picture_of(built.details), "image/svg+xml");
    }

    static Json description(const ReadModel& read) {
        Json json{{"version", read.version}, {"errors", read.errors}, {"warnings", read.warnings}};
        if (read.details) json.update(live_model(*read.details));
        return json;
    }

    void describe(const httplib::Request& request, httplib::Response& response) {
        const auto model = model_of(request);
        model->look();
        answer(response, 200, description(*model->read()));
    }

    // ---- messages

    void listen(const httplib::Request& request, httplib::Response& response) {
        const std::string page = request.get_param_value("page");
        const auto model = model_of(request);
        if (page.empty() || page.size() > 64) throw LiveError("a page gives itself a name");
        if (!visitors.arrive(page, name_in(request)))
            return refuse(response, 503, "too many pages are open");
        visitors.tell(page, event("version", model->read()->version));
        response.set_chunked_content_provider(
            "text/event-stream",
            [this, page](std::size_t, httplib::DataSink& sink) {
                const auto message = visitors.wait(page);
                if (!message) return false;
                // What cannot be written tells that the page has gone.
                const std::string text = message->empty() ? ":\n\n" : *message;
                return sink.write(text.data(), text.size());
            },
            [this, page](bool) { visitors.leave(page); });
    }

    /// Looks at the files of the models that are open.
    void watch() {
        std::map<std::string, std::uint64_t> told;  // versions, whoever saw them first
        while (!is_stopping) {
            const std::vector<std::string> names = visitors.models();
            shelf.keep(names);
            for (const std::string& name : names) {
                const auto model = shelf.model(name);
                if (!model) continue;
                model->look();
                if (const std::uint64_t now = model->read()->version; told[name] != now)
                    visitors.tell_all_of(name, event("version", told[name] = now));
            }
            std::this_thread::sleep_for(look_pause);
        }
    }

    // ---- runs

    /// One of the slots, as long as it lives. Throws Interrupted.
    struct Slot {
        Slot(Parts& p, const std::function<bool()>& stop) : parts(p) {
            if (!parts.slots.take(stop)) throw Interrupted();
        }
        ~Slot() { parts.slots.give_back(); }
        Slot(const Slot&) = delete;
        Slot& operator=(const Slot&) = delete;
        Parts& parts;
    };

    /// The newest run of a page, as long as it lives.
    struct PageRunning {
        PageRunning(Visitors& v, std::string p)
            : visitors(v), page(std::move(p)), cancelled(v.begin_run(page)) {}
        ~PageRunning() { visitors.end_run(page, cancelled); }
        PageRunning(const PageRunning&) = delete;
        PageRunning& operator=(const PageRunning&) = delete;
        Visitors& visitors;
        std::string page;
        Cancelled cancelled;
    };

    void run(const httplib::Request& request, httplib::Response& response) {
        const LiveRequest wanted = live_request(request.body);
        const auto model = model_of(request);
        const std::string page = request.get_param_value("page");
        const PageRunning running(visitors, page);
        const auto stopped = [&] { return running.cancelled->load() || is_stopping.load(); };
        const Slot slot(*this, stopped);
        auto told = Clock::now();
        const OnProgress progress = [&](double part) {
            if (const auto now = Clock::now(); now - told > progress_pause) {
                told = now;
                visitors.tell(page, event("progress", part));
            }
            return !stopped();
        };
        response.set_content(live_run(model->with(wanted.set), wanted, progress),
                             "application/octet-stream");
    }

    // ---- the end

    void stop() {
        is_stopping = true;
        visitors.close();
        http.stop();
    }

    Shelf shelf;
    std::optional<Gate> gate;
    Visitors visitors;
    Slots slots{std::thread::hardware_concurrency()};
    std::atomic<bool> is_stopping = false;
    std::atomic<bool> has_ended = false;
    int port = 0;
    httplib::Server http;
};

Server::Server(const ServerOptions& options) : parts_(std::make_shared<Parts>(options)) {}

Server::~Server() = default;

std::string Server::address() const {
    return fmt::format("http://127.0.0.1:{}/{}/", parts_->port, parts_->gate->token());
}

/// Threads that are held by a slow client are left behind: the program ends with them.
void Server::serve(const std::function<bool()>& stop_asked) {
    std::thread watching([parts = parts_] { parts->watch(); });
    std::thread([parts = parts_] {
        parts->http.listen_after_bind();
        parts->has_ended = true;
    }).detach();
    // What does not listen yet cannot be stopped.
    while (!parts_->http.is_running() && !parts_->has_ended) std::this_thread::sleep_for(1ms);
    while (!stop_asked() && !parts_->has_ended) std::this_thread::sleep_for(20ms);
    parts_->stop();
    watching.join();
    const auto end = Clock::now() + patience;
    while (!parts_->has_ended && Clock::now() < end) std::this_thread::sleep_for(5ms);
}

}  // namespace lacon::live
