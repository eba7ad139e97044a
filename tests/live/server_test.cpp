// The server: what it answers to the page, and what to strangers.
#include "live/server.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <httplib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "table/folder.hpp"

namespace lacon {
namespace {

using testing::Folder;

const char* const served =
    "model \"Pendulum\"\nparam L = 2 in 1..3\ncoord x, y\nparticle P at (x, y) mass 1\n"
    "gravity (0, -9.81)\nconstraint rod: norm(P) = L\nstart x = L, y = 0\n"
    "simulate 0..1 every 0.01\n";

/// A server at work on a folder of its own, with files that stand for what web/ is built to.
class Serving {
public:
    explicit Serving(const std::string& name = "", const std::string& text = served) {
        folder.write("a.lac", text);
        for (const char* page : {"page.html", "live.html"})
            pages_.write(page, "<title><!-- LACON TITLE --></title><!-- LACON RUN -->");
        ::setenv("LACON_PAGE", (pages_ / "page.html").c_str(), 1);
        server_.emplace(ServerOptions{folder / name, 0});
        serving_ = std::thread([this] { server_->serve([this] { return stop_.load(); }); });
        const std::string address = server_->address();
        const auto slash = address.find('/', 7);
        origin = address.substr(0, slash);
        path = address.substr(slash);
    }
    ~Serving() {
        stop_ = true;
        serving_.join();
        ::unsetenv("LACON_PAGE");
    }
    Serving(const Serving&) = delete;
    Serving& operator=(const Serving&) = delete;

    int port() const { return std::stoi(origin.substr(origin.rfind(':') + 1)); }
    httplib::Result get(const std::string& what, const httplib::Headers& headers = {}) const {
        return httplib::Client(origin).Get(path + what, headers);
    }
    httplib::Result post(const std::string& body, const httplib::Headers& more = {}) const {
        httplib::Headers headers = more;
        if (headers.find("Origin") == headers.end()) headers.emplace("Origin", origin);
        return httplib::Client(origin).Post(path + "run?page=p", headers, body, "application/json");
    }

    const Folder folder;
    std::string origin, path;

private:
    const Folder pages_;
    std::optional<Server> server_;
    std::atomic<bool> stop_ = false;
    std::thread serving_;
};

TEST(Server, GivesThePageTheModelAndARun) {
    const Serving serving("a.lac");
    const auto page = serving.get("");
    ASSERT_TRUE(page);
    EXPECT_EQ(page->status, 200);
    EXPECT_NE(page->body.find("\"model\":\"a.lac\""), std::string::npos) << page->body;
    EXPECT_EQ(page->get_header_value("Referrer-Policy"), "no-referrer");
    EXPECT_NE(page->get_header_value("Content-Security-Policy").find("default-src 'none'"),
              std::string::npos);
    EXPECT_EQ(Json::parse(serving.get("model")->body)["parameters"][0]["name"], "L");
    const auto run = serving.post(R"({"set": {"L": 1.5}})");
    ASSERT_TRUE(run);
    EXPECT_EQ(run->status, 200);
    EXPECT_NE(run->body.find("\"status\":\"ok\""), std::string::npos);
}

TEST(Server, GivesAGalleryWithPictures) {
    const Serving serving;
    serving.folder.write("b.lac", "coord x\n");
    serving.folder.write("wrong.lac", "coord x,,\n");
    EXPECT_EQ(Json::parse(serving.get("models")->body).size(), 3u);
    const auto picture = serving.get("picture?model=a.lac");
    EXPECT_EQ(picture->get_header_value("Content-Type"), "image/svg+xml");
    EXPECT_NE(picture->body.find("class=\"point\""), std::string::npos) << picture->body;
    EXPECT_NE(picture->body.find("class=\"rod\""), std::string::npos) << picture->body;
    EXPECT_EQ(serving.get("picture?model=wrong.lac")->status, 422);
}

TEST(Server, StrangersAreRefused) {
    const Serving serving("a.lac");
    EXPECT_EQ(serving.get("", {{"Host", "evil.example"}})->status, 403);
    EXPECT_EQ(serving.get("", {{"Origin", "http://evil.example"}})->status, 403);
    EXPECT_EQ(serving.get("model", {{"Sec-Fetch-Site", "cross-site"}})->status, 403);
    EXPECT_EQ(serving.post("{}", {{"Origin", "http://evil.example"}})->status, 403);
    EXPECT_EQ(serving.post("{}", {{"Origin", "null"}})->status, 403);
    httplib::Client client(serving.origin);
    for (const char* path : {"/", "/model", "/00/", "/00112233445566778899aabbccddeeff/model"})
        EXPECT_EQ(client.Get(path)->status, 404) << path;
    EXPECT_EQ(client.Delete(serving.path + "run")->status, 403);  // it names no origin
}

TEST(Server, NothingButItsModelsIsRead) {
    const Serving serving;
    for (const char* name :
         {"../a.lac", "%2e%2e/a.lac", "..%2Fa.lac", "/etc/passwd", "%2Fetc%2Fpasswd", "a.lac%00"}) {
        EXPECT_EQ(serving.get("?model=" + std::string(name))->status, 404) << name;
        EXPECT_EQ(serving.get("model?model=" + std::string(name))->status, 422) << name;
        EXPECT_EQ(serving.get("picture?model=" + std::string(name))->status, 422) << name;
    }
    httplib::Client client(serving.origin);
    EXPECT_EQ(client.Get(serving.path + "../a.lac")->status, 404);
    EXPECT_EQ(client.Get("/../../etc/passwd")->status, 404);
}

TEST(Server, HugeAndSenselessBodiesAreRefused) {
    const Serving serving("a.lac");
    EXPECT_EQ(serving.post(std::string(1'000'000, ' '))->status, 413);
    for (const char* body : {"", "[", "{\"set\": 3}", "{\"start\": [{\"name\": 1}]}",
                             "{\"start\": [{\"name\": \"x\", \"value\": 1, \"guess\": 2}]}"})
        EXPECT_GE(serving.post(body)->status, 400) << body;
    EXPECT_EQ(serving.post("{\"set\": {\"K\": 3}}")->status, 422);
    EXPECT_EQ(serving.get(std::string(20000, 'a'))->status, 414);
}

TEST(Server, PackedBodiesAreNotUnpacked) {
    const Serving serving("a.lac");
    EXPECT_EQ(serving.post("{}", {{"Content-Encoding", "gzip"}})->status, 415);
}

/// A connection that says this, and then nothing more.
int silent_connection(int port, const std::string& said) {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(static_cast<std::uint16_t>(port));
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&place), sizeof place), 0);
    EXPECT_EQ(::send(socket, said.data(), said.size(), 0), static_cast<ssize_t>(said.size()));
    return socket;
}

TEST(Server, SlowClientsDoNotHoldOthersUp) {
    const Serving serving("a.lac");
    std::vector<int> slow;
    for (int i = 0; i < 20; ++i) slow.push_back(silent_connection(serving.port(), "GET / HT"));
    EXPECT_EQ(serving.get("model")->status, 200);
    for (const int socket : slow) ::close(socket);
}

TEST(Server, APortInUseIsNamed) {
    const Serving serving("a.lac");
    try {
        const Server second({serving.folder / "a.lac", serving.port()});
        FAIL() << "two servers share a port";
    } catch (const LiveError& problem) {
        EXPECT_NE(std::string(problem.what()).find("it is in use"), std::string::npos);
        EXPECT_NE(std::string(problem.what()).find("--port"), std::string::npos);
    }
}

TEST(Server, ANewerRunOfAPageEndsTheOlder) {
    const Serving serving("a.lac");
    std::atomic<int> status = 0;
    std::thread older([&] { status = serving.post(R"({"end": 1e9, "every": 1e6})")->status; });
    // The older one may come later than the first of these.
    while (status == 0) serving.post("{}");
    older.join();
    EXPECT_EQ(status, 409);
}

TEST(Server, TellsPagesOfANewVersion) {
    const Serving serving("a.lac");
    std::string heard;
    httplib::Client(serving.origin)
        .Get(serving.path + "events?page=p", [&](const char* data, std::size_t length) {
            if (heard.empty()) serving.folder.write("a.lac", std::string(served) + "# new\n");
            heard.append(data, length);
            return heard.find("data: 2") == std::string::npos;
        });
    EXPECT_NE(heard.find("event: version\ndata: 1\n"), std::string::npos) << heard;
}

TEST(Server, WithoutItsPageItSaysWhatIsMissing) {
    const Folder folder;
    folder.write("a.lac", served);
    ::setenv("LACON_PAGE", "/nowhere/page.html", 1);
    try {
        const Server server({folder / "a.lac", 0});
        FAIL();
    } catch (const LiveError& problem) {
        EXPECT_NE(std::string(problem.what()).find("install nodejs and npm"), std::string::npos);
    }
    ::unsetenv("LACON_PAGE");
}

}  // namespace
}  // namespace lacon
