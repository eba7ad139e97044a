// Writes CSV (RFC 4180): a header with the names, then the rows. Every number reads back as the
// same double.
#include "table/formats.hpp"
#include "table/output_file.hpp"

/// CSV as of RFC 4180, with `\n` at the ends of lines: the names, then the rows.
namespace lacon::inline table {

namespace {

std::string quoted_where_needed(const std::string& name) {
    const bool plain = !name.empty() && name.find_first_of(",\"\r\n") == std::string::npos &&
                       name.front() != ' ' && name.back() != ' ';
    if (plain) return name;
    std::string quoted = "\"";
    for (const char c : name) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

std::string csv_head(const TableInfo& info) {
    std::string head;
    for (const std::string& name : info.names)
        head += (head.empty() ? "" : ",") + quoted_where_needed(name);
    return head + "\n";
}

class CsvWriter final : public TableWriter {
public:
    CsvWriter(const std::string& path, const TableInfo& info, std::optional<Resume> resume)
        : TableWriter(info.names.size(), resume ? resume->rows : 0),
          file_(path, csv_head(info), "", resume) {}

    void flush() override { file_.write(); }
    void close() override { file_.close(); }
    std::uint64_t position() const override { return file_.position(); }

protected:
    void append(std::span<const double> values) override {
        for (const double value : values) {
            append_number(file_.pending, value);
            file_.pending += ',';
        }
        file_.pending.back() = '\n';
        file_.write_if_large();
    }

private:
    OutputFile file_;
};

}  // namespace

std::unique_ptr<TableWriter> write_csv(const std::string& path, const TableInfo& info,
                                       std::optional<Resume> resume) {
    return std::make_unique<CsvWriter>(path, info, resume);
}

}  // namespace lacon::table
