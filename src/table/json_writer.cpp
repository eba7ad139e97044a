// Writes JSON tables row by row. Numbers that are not finite become null.
#include <cmath>
#include <nlohmann/json.hpp>

#include "table/formats.hpp"
#include "table/output_file.hpp"

/// JSON: one object, the rows last, so that they can be written as a stream with the closing
/// brackets always behind them.
namespace lacon::inline table {

namespace {

/// A JSON string; bytes that are no UTF-8 are replaced.
std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string json_of(const TableValue& value) {
    if (const auto* text = std::get_if<std::string>(&value)) return quoted(*text);
    const auto* number = std::get_if<double>(&value);
    return number && !std::isfinite(*number) ? "null" : text_of(value);
}

std::string json_head(const TableInfo& info) {
    std::string head = "{\n\"model\": " + quoted(info.model) +
                       ",\n\"source\": " + quoted(info.source) + ",\n\"options\": {";
    for (std::size_t i = 0; i < info.options.size(); ++i)
        head += (i ? ", " : "") + quoted(info.options[i].first) + ": " +
                json_of(info.options[i].second);
    head += "},\n\"columns\": [";
    for (std::size_t j = 0; j < info.names.size(); ++j)
        head += std::string(j ? "," : "") + "\n{\"name\": " + quoted(info.names[j]) +
                ", \"text\": " + quoted(info.texts[j]) + "}";
    return head + "\n],\n\"rows\": [";
}

/// What stands behind the rows. Until the end nobody knows the events.
std::string json_tail(const std::string& events) {
    return events.empty() ? "\n]\n}\n" : "\n],\n\"events\": " + events + "\n}\n";
}

class JsonWriter final : public TableWriter {
public:
    JsonWriter(const std::string& path, const TableInfo& info, std::optional<Resume> resume)
        : TableWriter(info.names.size(), resume ? resume->rows : 0),
          file_(path, json_head(info), json_tail(""), resume) {}

    void flush() override { file_.write(); }
    void close() override {
        file_.end_with(json_tail(events_));
        file_.close();
    }
    std::uint64_t position() const override { return file_.position(); }

protected:
    void append(std::span<const double> values) override {
        std::string& text = file_.pending;
        text += rows() == 0 ? "\n[" : ",\n[";
        for (const double value : values) {
            if (!std::isfinite(value)) text += "null";
            else if (value == 0.0 && std::signbit(value))
                text += "-0.0";  // "-0" is an integer to many readers, and those know one 0
            else append_number(text, value);
            text += ',';
        }
        text.back() = ']';
        file_.write_if_large();
    }

private:
    OutputFile file_;
};

}  // namespace

std::unique_ptr<TableWriter> write_json(const std::string& path, const TableInfo& info,
                                        std::optional<Resume> resume) {
    return std::make_unique<JsonWriter>(path, info, resume);
}

}  // namespace lacon::table
