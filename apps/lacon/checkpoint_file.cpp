// Checkpoints are JSON objects with a version number: the model's text, the options, and the run as
// the library saves it. A file that is damaged or has another version is refused.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "base/files.hpp"
#include "checkpoint.hpp"
#include "checkpoint/saved_json.hpp"

namespace lacon::app {

namespace {

constexpr int version = 12, oldest = 10;  // written, and still read

Checkpoint checkpoint_of(const Json& json) {
    Checkpoint c;
    c.source = json.at("source");
    c.set = json.at("set").get<std::vector<std::string>>();
    c.start = json.at("start").get<std::vector<std::string>>();
    c.plant = json.at("plant").get<std::vector<std::string>>();
    c.feedforward = json.at("feedforward").at(0);
    c.feedforward_sum = json.at("feedforward").at(1);
    c.plan = plan_of(json.at("plan"));
    c.snapshot = snapshot_of(json.at("snapshot"));
    c.out = json.at("out");
    c.columns = json.at("columns").get<std::vector<std::string>>();
    c.out_rows = json.at("out_rows");
    c.out_position = json.at("out_position");
    c.output_ranges = numbers(json.at("output_ranges"));
    return c;
}

}  // namespace

void write_checkpoint(const std::string& path, const Checkpoint& c) {
    const Json json{{"lacon_checkpoint", version},
                    {"set", c.set},
                    {"start", c.start},
                    {"plant", c.plant},
                    {"feedforward", {c.feedforward, c.feedforward_sum}},
                    {"plan", saved(c.plan)},
                    {"out", c.out},
                    {"columns", c.columns},
                    {"out_rows", c.out_rows},
                    {"out_position", c.out_position},
                    {"output_ranges", list(c.output_ranges)},
                    {"snapshot", saved(c.snapshot)},
                    {"source", c.source}};
    replace_file(path, json.dump() + '\n');
}

Checkpoint read_checkpoint(const std::string& path, const std::string& model) {
    const auto refused = [&](const std::string& why) {
        return bad_input(model, "--resume",
                         fmt::format("'{}' is not a Lacon checkpoint: {}", path, why));
    };
    std::ifstream file(path, std::ios::binary);
    if (!file || std::filesystem::is_directory(path))
        throw bad_input(model, "--resume", fmt::format("cannot read '{}'", path));
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded() && text.starts_with("{\"lacon_checkpoint\""))
        throw refused("the file is truncated or damaged");
    if (!json.is_object() || !json.contains("lacon_checkpoint"))
        throw refused("'lacon run MODEL --checkpoint FILE' writes checkpoints");
    try {
        check_version(json["lacon_checkpoint"], {oldest, version});
        return read_undamaged([&] { return checkpoint_of(json); });
    } catch (const std::invalid_argument& problem) {
        throw refused(problem.what());
    }
}

}  // namespace lacon::app
