// The numbers of a page: what each is, at all rows of the run and then at those that are kept.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "page/page.hpp"
#include "page/page_data.hpp"
#include "page/row_states.hpp"
#include "page/thin_rows.hpp"
#include "scene/scene.hpp"

namespace lacon::inline page {

/// First the channels of the scene, then their rates, then the columns of the table; each number
/// once.
class PageColumns {
public:
    /// All must outlive it. `rows` are of the scene's model.
    PageColumns(const PageRun& run, const Scene& scene, const RowStates& rows);

    struct Listed {
        std::string name, group;  // coordinate, velocity, output
        std::size_t column = 0;
    };
    std::vector<Listed> listed;         // the table's
    std::vector<std::string> left_out;  // sentences
    bool curved = false;                // rates are known: cubic curves between rows

    std::size_t count() const { return columns_.size(); }
    /// Of each column that of its rate; −1: none.
    const std::vector<std::ptrdiff_t>& rates() const { return rates_; }
    ThinRows thin(double tolerance) const {
        return thin_rows({t_, columns_, rates_, sizes_}, tolerance);
    }
    /// The row of the run that a looked-at row is.
    std::size_t row_of(std::size_t taken) const { return taken_[taken]; }
    double time(std::size_t taken) const { return t_[taken]; }
    std::size_t taken() const { return t_.size(); }
    std::vector<FloatColumn> at(const std::vector<std::size_t>& kept) const;
    /// Lowest and highest number of a channel.
    std::array<float, 2> range(Channel channel) const;

private:
    void choose_columns();
    void find_rates();
    void fill();
    void find_sizes();

    const PageRun& run_;
    const Scene& scene_;
    const RowStates& rows_;
    Graph graph_;                      // the scene's, and the rates
    std::vector<Expr> numbers_;        // channels and rates
    std::vector<std::size_t> chosen_;  // columns of the table that are no such numbers
    std::vector<std::ptrdiff_t> rates_;
    std::vector<std::size_t> taken_;  // rows that were looked at
    std::vector<double> t_, sizes_;
    std::vector<FloatColumn> columns_;
};

}  // namespace lacon::page
