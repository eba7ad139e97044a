// Loops over the rows of a data file: finds the columns by header or by order, and binds the loop's
// names to the numbers of a row.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "lang/evaluate/scopes.hpp"

/// `for (i, j) in data "edges.csv"`: loops over the rows of files.
namespace lacon::lang {

/// Each file is read once, and what is wrong with it told once.
const NumberTable* Evaluator::table_of(TokenId file) {
    const auto [found, is_new] = tables_.try_emplace(syntax_.unquoted(file));
    if (!is_new) return found->second.get();
    try {
        const std::filesystem::path folder =
            std::filesystem::path(syntax_.source->name()).parent_path();
        found->second =
            std::make_unique<const NumberTable>(read_number_table({folder, found->first}));
    } catch (const DataError& error) {
        arithmetic.fail(syntax_.tokens[file].span, error.what(), error.hint);
    }
    return found->second.get();
}

const Evaluator::DataClause* Evaluator::clause_of(const Loop& loop) {
    const auto [found, is_new] = clauses_.try_emplace(&loop);
    if (is_new) found->second = read_clause(loop);
    return found->second.table == nullptr ? nullptr : &found->second;
}

/// Columns go by their names where the header has all of them, else by their order.
Evaluator::DataClause Evaluator::read_clause(const Loop& loop) {
    DataClause clause;
    const NumberTable* table = table_of(loop.file);
    if (table == nullptr) return clause;
    bool by_name = true;
    for (std::size_t i = loop.counted ? 1 : 0; i < loop.names.size(); ++i) {
        const auto found = std::find(table->header.begin(), table->header.end(),
                                     syntax_.names[loop.names[i].name]);
        by_name = by_name && found != table->header.end();
        clause.columns.push_back(by_name ? static_cast<std::size_t>(found - table->header.begin())
                                         : 0);
    }
    if (!by_name && clause.columns.size() != table->columns) {
        arithmetic.fail(
            syntax_.tokens[loop.file].span,
            fmt::format(
                "'{}' has {}, but {} given here", table->file, counted(table->columns, "column"),
                clause.columns.size() == 1 ? "1 name is"
                                           : fmt::format("{} names are", clause.columns.size())),
            table->header.empty() ? "give each column a name: for (i, j) in data \"file.csv\""
                                  : fmt::format("its columns are {}", quoted_list(table->header)));
        return clause;
    }
    if (!by_name)
        for (std::size_t i = 0; i < clause.columns.size(); ++i) clause.columns[i] = i;
    clause.table = table;
    return clause;
}

/// Binds the loop's names, to no value yet.
void Evaluator::bind(const Loop& loop) {
    for (const LoopName& name : loop.names) bindings_.push_back({name.name, {}});
}

/// Gives the names of a loop, bound from `first` on, their values at an index, or in a row of its
/// file.
void Evaluator::give(const Loop& loop, std::size_t first, double value) {
    if (loop.file == none) {
        bindings_[first].value = Value::of_number(value);
        return;
    }
    const DataClause& clause = *clause_of(loop);
    const auto row = static_cast<std::size_t>(value);
    if (loop.counted) bindings_[first++].value = Value::of_number(value + 1);
    for (const std::size_t column : clause.columns) {
        Binding& binding = bindings_[first++];
        binding.value = Value::of_number(clause.table->at(row, column));
        binding.table = clause.table;
        binding.row = row;
    }
}

std::string Evaluator::row_now() const {
    for (std::size_t i = bindings_.size(); i > frame_; --i)
        if (const Binding& from = bindings_[i - 1]; from.table != nullptr)
            return fmt::format("row {} of '{}'", from.table->rows[from.row], from.table->file);
    return {};
}

}  // namespace lacon::lang
