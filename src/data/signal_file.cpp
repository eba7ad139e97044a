// Finds the two columns by name or number and checks that the argument increases strictly.
// Limits: 64 MiB of text, 2 million rows.
#include "data/signal_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"

namespace lacon::inline data {

namespace {

constexpr std::uintmax_t most_signal_bytes = std::uintmax_t{64} << 20;
constexpr std::size_t most_rows = 2'000'000;

class SignalReader {
public:
    SignalReader(std::string_view text, const SignalSource& source)
        : source_(source), cells_(text, source.file) {}

    Signal read() {
        bool begun = false;
        while (cells_.next()) {
            if (!begun) find_columns();
            begun = true;
            take();
        }
        if (!begun && cells_.width() > 0) find_columns();  // a header alone
        if (signal_.x.size() < 2)
            throw DataError(fmt::format("'{}' has {} of numbers; a curve needs two or more",
                                        source_.file, signal_.x.empty() ? "no row" : "one row"));
        return std::move(signal_);
    }

private:
    void find_columns() {
        argument_ = find(source_.argument);
        values_ = find(source_.values);
        if (argument_ == values_)
            throw DataError(
                fmt::format("column {} of '{}' cannot be both the argument and the values",
                            argument_ + 1, source_.file),
                "name the columns: column \"a\" against \"t\"");
    }

    void take() {
        if (signal_.x.size() >= most_rows)
            throw DataError(fmt::format("'{}' has too many rows: at most {} are read", source_.file,
                                        most_rows));
        const double x = cells_.number(argument_), y = cells_.number(values_);
        check_increase(x);
        signal_.x.push_back(x);
        signal_.y.push_back(y);
        last_row_ = cells_.row();
    }

    /// The place of a column, from 0.
    std::size_t find(const SignalColumn& column) const {
        const std::vector<std::string>& header = cells_.header();
        if (column.name.empty()) {
            if (column.number >= 1 && column.number <= cells_.width()) return column.number - 1;
            throw DataError(fmt::format("'{}' has no column {}: row {} has {}", source_.file,
                                        column.number, cells_.first_row(),
                                        counted(cells_.width(), "column")));
        }
        if (header.empty())
            throw DataError(fmt::format("'{}' has no header, so there is no column '{}'",
                                        source_.file, column.name),
                            "give the column by its number");
        const auto found = std::find(header.begin(), header.end(), column.name);
        if (found != header.end()) return static_cast<std::size_t>(found - header.begin());
        const auto near = nearest_name(column.name, header);
        throw DataError(fmt::format("'{}' has no column '{}'; it has {}", source_.file, column.name,
                                    quoted_list(header)),
                        near ? fmt::format("did you mean '{}'?", *near) : "");
    }

    void check_increase(double x) const {
        if (signal_.x.empty() || x > signal_.x.back()) return;
        const std::string place = cells_.place(argument_);
        if (x == signal_.x.back())
            throw DataError(fmt::format("{}: the argument {} is also in row {}", place, shortest(x),
                                        last_row_));
        throw DataError(fmt::format("{}: the arguments must increase, but {} follows {} of row {}",
                                    place, shortest(x), shortest(signal_.x.back()), last_row_));
    }

    const SignalSource& source_;
    CellReader cells_;
    Signal signal_;
    std::size_t last_row_ = 0, argument_ = 0, values_ = 1;
};

}  // namespace

Signal read_signal(const SignalSource& source) {
    return read_signal_text(read_data_file({source.folder, source.file}, most_signal_bytes),
                            source);
}

Signal read_signal_text(std::string_view text, const SignalSource& source) {
    return SignalReader(text, source).read();
}

}  // namespace lacon::data
