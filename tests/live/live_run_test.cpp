// Runs for a page are those of the library, and can be ended.
#include "live/live_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "lacon/motion.hpp"
#include "page/page_data.hpp"
#include "pipeline.hpp"

namespace lacon {
namespace {

const char* const swinging =
    "param L = 2 in 1..3 \"length\"\nparam N = 1 in 1..4\ncoord x, y\n"
    "particle P at (x, y) mass 1\ngravity (0, -9.81)\nconstraint rod: norm(P) = L\n"
    "start x = L, y = 0\nsimulate 0..1 every 0.01\n";

std::shared_ptr<const DerivedModel> swinging_model(const char* text = swinging) {
    return build(SourceText("test.lac", text)).details;
}

const OnProgress go_on = [](double) { return true; };

/// A JSON text behind its length; where it ends is left in `at`.
Json json_at(const std::string& bytes, std::size_t& at) {
    std::uint32_t length = 0;
    std::memcpy(&length, bytes.data() + at, sizeof length);
    const Json json = Json::parse(bytes.substr(at + sizeof length, length));
    at += sizeof length + length;
    return json;
}

TEST(LiveRun, RowsAreThoseOfARun) {
    const LiveRequest request = live_request(
        R"({"end": 0.5, "tolerance": 1e-9, "method": "dop853",
            "start": [{"name": "x", "value": 1, "guess": false}, {"name": "y", "value": -1}]})");
    const std::string bytes = live_run(swinging_model(), request, go_on);
    std::size_t at = 0;
    const Json info = json_at(bytes, at), header = json_at(bytes, at);
    EXPECT_EQ(info["status"], "ok");
    const Unpacked rows =
        unpacked(std::string_view(bytes).substr(at), header["rows"], header["columns"]);
    std::string text = swinging;
    text.replace(text.find("start"), std::string::npos,
                 "start x = 1, y ~ -1\nsimulate 0..0.5 every 0.01 tolerance 1e-9 method dop853\n");
    const Motion motion = run(Mechanism::parse(text));
    const auto named_y = [](const Json& one) { return one["name"] == "y"; };
    const auto y = std::find_if(header["series"].begin(), header["series"].end(), named_y);
    const FloatColumn& column = rows.columns[(*y)["column"]];
    EXPECT_FLOAT_EQ(column.front(), static_cast<float>(-std::sqrt(3.0)));
    EXPECT_EQ(column.back(), static_cast<float>(motion.column("y").back()));
    EXPECT_DOUBLE_EQ(rows.t.back(), 0.5);
}

TEST(LiveRun, OneThatNobodyWaitsForEnds) {
    LiveRequest request;
    request.end = 1e6;
    int steps = 0;
    EXPECT_THROW(live_run(swinging_model(), request, [&](double) { return ++steps < 5; }),
                 Interrupted);
    EXPECT_LT(steps, 20);
}

TEST(LiveRun, AStartThatCannotBeIsASentence) {
    LiveRequest request;
    request.start = {{"x", 5.0, false}};
    try {
        live_run(swinging_model(), request, go_on);
        FAIL();
    } catch (const LiveError& problem) {
        EXPECT_NE(std::string(problem.what()).find("rod"), std::string::npos) << problem.what();
    }
    request.start = {{"z", 5.0, false}};
    EXPECT_THROW(live_run(swinging_model(), request, go_on), LiveError);
}

TEST(LiveRun, RequestsThatMakeNoSenseAreRefused) {
    for (const char* text : {"", "[]", "7", R"({"set": {"L": "two"}})", R"({"end": "now"})",
                             R"({"start": [{"value": 1}]})", R"({"drag": {"to": [1, 2]}})"})
        EXPECT_THROW(live_request(text), LiveError) << text;
}

TEST(LiveRun, AModelIsDescribedWithItsRanges) {
    const Json json = live_model(*swinging_model());
    EXPECT_EQ(json["parameters"][0]["name"], "L");
    EXPECT_EQ(json["parameters"][0]["text"], "length");
    EXPECT_EQ(json["parameters"][0]["range"], Json::array({1.0, 3.0}));
    EXPECT_EQ(json["end"], 1.0);
    EXPECT_FALSE(live_model(*swinging_model("coord x\nkinetic x'^2\n")).contains("end"));
}

}  // namespace
}  // namespace lacon
