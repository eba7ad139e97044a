// One run for a page: from values of parameters, start and options to what the page unpacks.
#pragma once

#include <array>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "mechanics/system/derived_model.hpp"
#include "page/page_rows.hpp"
#include "session.hpp"
#include "state/start.hpp"

namespace lacon::inline live {

using Json = nlohmann::ordered_json;

/// What a page asked for that makes no sense, or cannot be computed: a sentence.
struct LiveError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Something of the picture, pulled to a place: the start is to follow.
struct Drag {
    std::optional<std::size_t> item, body;  // numbers in the scene
    std::array<double, 3> local{};          // of the point, in the body's axes
    std::array<double, 3> to{};
};

/// What a page asks for: values that are not given are those of the model.
struct LiveRequest {
    Settings set = {};
    struct StartValue {
        std::string name;  // "x", "x'"
        double value = 0.0;
        bool guess = true;
    };
    std::vector<StartValue> start = {};
    std::optional<double> begin = {}, end = {}, every = {}, tolerance = {};
    std::string method = {};
    std::optional<Drag> drag = {};
    /// A slider is moving. Machine code has the values of parameters in it, so a small model is
    /// interpreted instead: the same up to rounding.
    bool quick = false;
};

/// Reads the JSON that a page sends. Throws LiveError.
LiveRequest live_request(const std::string& text);

/// Told while a run is on its way: the part of the time span that is done. False ends it.
using OnProgress = std::function<bool(double)>;

/// A motion with its rows.
struct LiveMotion {
    PageRows rows;
    std::unique_ptr<Session> session;
};
/// Throws std::invalid_argument for options that make no sense.
LiveMotion moved(const std::shared_ptr<const DerivedModel>& details, const LiveRequest& request,
                 const std::vector<StartOverride>& start, const OnProgress& progress);

/// The length of a JSON text (4 bytes), the text, and what page_data_of gives. The text has the
/// start values that a drag led to, how the run ended, and how long things took. Throws LiveError
/// where there is no motion to show, and Interrupted.
std::string live_run(const std::shared_ptr<const DerivedModel>& details, const LiveRequest& request,
                     const OnProgress& progress);

/// A newer request has come, or the page has gone.
struct Interrupted : LiveError {
    Interrupted() : LiveError("interrupted") {}
};

/// What the page shows beside the motion: parameters with ranges, time span, methods, the text.
Json live_model(const DerivedModel& details);

/// Values that are wanted to hold, or be near, at the start: by name. Throws LiveError.
std::vector<StartOverride> start_overrides(const DerivedModel& details,
                                           const std::vector<LiveRequest::StartValue>& values);

}  // namespace lacon::live
