// Lays the picture out in pixels: margins from the longest labels, ticks at 1, 2 or 5 times a power
// of ten, equal scales for paths in space. The data are part of the script, thinned and with blank
// lines at gaps.
#include "picture/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "picture/gnuplot.hpp"
#include "picture/panels.hpp"
#include "picture/thin.hpp"

namespace lacon::inline picture {

namespace {

// The colours of Okabe and Ito, told apart by colour-blind eyes too, without the yellow that white
// paper swallows.
constexpr const char* colours[curves_per_panel] = {"#0072B2", "#D55E00", "#009E73",
                                                   "#CC79A7", "#E69F00", "#56B4E9"};

// All lengths in pixels.
constexpr double least_width = 900, picture_height = 560,
                 height_of_many = 165;  // of the picture; of a panel where there are over 3
constexpr double character = 7.6;       // average width, at the font size used
constexpr double panel_gap = 16;        // between panels
constexpr double note_height = 17;      // of a line of the caption
constexpr std::size_t usual_legend = 28,
                      most_in_legend = 120;  // characters: beyond the first the picture grows wider
constexpr std::size_t most_in_title = 160;

/// What makes the two kinds of picture look alike: they count font sizes and the distances of
/// labels differently.
struct Look {
    const char *terminal, *font;
    int title_size;                       // of its font
    double title_offset, x_label_offset;  // upwards, in lines
};
constexpr Look svg{"svg", "sans-serif,13", 15, -0.45, 0.35},
    png{"pngcairo", "Sans,10", 12, 0.2, 0.0};

std::string shortened(std::string_view text, std::size_t most) {
    if (count_characters(text) <= most) return std::string(text);
    std::size_t end = 0;
    for (std::size_t i = 0; i + 1 < most; ++i) end += read_character(text, end).length;
    return std::string(text.substr(0, end)) + "…";
}

std::string label_of(const DrawnColumn& column) {
    return column.text.empty() ? column.name : column.name + ": " + column.text;
}

/// The distance of ticks, 1, 2 or 5 times a power of ten, for at most `most` of them.
double tick_step(const Range& range, double most) {
    const double least = range.width() / most,
                 power = std::pow(10.0, std::floor(std::log10(least)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= least) return factor * power;
    return 10.0 * power;
}

/// The factor between ticks of a logarithmic axis, a power of ten, for at most `most` of them.
double tick_factor(const Range& range, double most) {
    return std::pow(10.0, std::max(1.0, std::ceil(std::log10(range.high / range.low) / most)));
}

/// Characters of the longest tick label.
std::size_t widest_tick(const Axis& axis, double step) {
    if (axis.logarithmic) return 5;  // as 1e+05
    std::size_t widest = 1;
    for (double tick = std::ceil(axis.low / step); tick * step <= axis.high; ++tick)
        widest = std::max(widest, rounded(tick * step, axis.digits).size());
    return widest;
}

bool never_falls(std::span<const double> values) {
    return std::is_sorted(values.begin(), values.end(), [](double a, double b) { return a < b; });
}

/// Whether a name is that of a place in space: x, y or z, with an index or behind a dot.
bool is_place(std::string_view name) {
    if (const auto dot = name.rfind('.'); dot != std::string_view::npos)
        name.remove_prefix(dot + 1);
    return !name.empty() && name[0] >= 'x' && name[0] <= 'z' &&
           name.find('\'', 1) == std::string_view::npos &&
           (name.size() == 1 || name.find_first_of("_[0123456789", 1) == 1);
}

/// The whole script, built from top to bottom.
class Script {
public:
    explicit Script(const PlotScript& drawing)
        : drawing_(drawing), look_(drawing.ending == ".svg" ? svg : png) {
        std::vector<Extent> extents;
        for (const DrawnColumn& y : drawing.y) {
            extents.push_back(extent_of(y.values, y.logarithmic));
            extents.back().kind = y.kind;
        }
        panels_ = panels_of(extents);
        for (const auto& panel : panels_) {
            Extent all;
            all.logarithmic = extents[panel.front()].logarithmic;
            for (const std::size_t curve : panel) all.add(extents[curve]);
            y_axes_.push_back(axis_of(all));
        }
        choose_x_axis();
        choose_margins();
        make_axes_equal();
    }

    std::string text() {
        write_settings();
        for (std::size_t i = 0; i < drawing_.y.size(); ++i) write_data(i);
        if (panels_.size() > 1) line("set multiplot");
        for (std::size_t p = 0; p < panels_.size(); ++p) write_panel(p);
        if (panels_.size() > 1) line("unset multiplot");
        return std::move(script_);
    }

private:
    template <class... Args>
    void line(fmt::format_string<Args...> form, Args&&... args) {
        fmt::format_to(std::back_inserter(script_), form, std::forward<Args>(args)...);
        script_ += '\n';
    }

    double panel_height() const {
        const double panels = static_cast<double>(panels_.size());
        return (total_height_ - top_ - bottom_ - panel_gap * (panels - 1)) / panels;
    }
    double panel_width() const { return width_ - left_ - right_; }
    double x_step() const { return tick_step(x_axis_, panel_width() / 85); }
    double y_step(std::size_t panel) const {
        const double most = std::max(2.5, panel_height() / 38);
        return y_axes_[panel].logarithmic ? tick_factor(y_axes_[panel], most)
                                          : tick_step(y_axes_[panel], most);
    }

    /// From end to end where x never falls (time), with some room where it goes to and fro (paths).
    void choose_x_axis() {
        const Extent extent = extent_of(drawing_.x.values);
        x_axis_ = axis_of(extent);
        const bool is_point = extent.width() < 0.5 * x_axis_.width();
        if (is_point || !never_falls(drawing_.x.values)) return;
        x_axis_.low = extent.low;
        x_axis_.high = extent.high;
    }

    void choose_margins() {
        top_ = drawing_.title.empty() ? 20 : 48;
        wrap_notes();
        bottom_ = 60 + note_height * static_cast<double>(notes_.size()) + (notes_.empty() ? 0 : 6);
        total_height_ = picture_height + bottom_ - 60;
        if (panels_.size() > 3)
            total_height_ = top_ + bottom_ + height_of_many * static_cast<double>(panels_.size());
        std::size_t ticks = 0, names = 0;
        for (std::size_t p = 0; p < panels_.size(); ++p) {
            ticks = std::max(ticks, widest_tick(y_axes_[p], y_step(p)));
            if (!has_legend(panels_[p])) continue;
            for (const std::size_t curve : panels_[p])
                names = std::max(names, std::min(most_in_legend,
                                                 count_characters(legend_of(curve, panels_[p]))));
        }
        left_ = 54 + character * static_cast<double>(ticks);
        right_ = names ? 58 + character * static_cast<double>(names) : 28;
        if (names > usual_legend) width_ += character * static_cast<double>(names - usual_legend);
        const std::size_t heads =
            std::max(count_characters(drawing_.title), count_characters(label_of(drawing_.x)));
        width_ = std::max(
            width_, 1.25 * character * static_cast<double>(std::min(heads, most_in_title)) + 60);
    }

    /// A panel of one curve has its label at the side, if it fits there.
    bool has_legend(const std::vector<std::size_t>& panel) const {
        return panel.size() > 1 ||
               count_characters(label_of(drawing_.y[panel[0]])) > most_at_side();
    }
    std::size_t most_at_side() const {
        return static_cast<std::size_t>(panel_height() / character);
    }
    std::string legend_of(std::size_t curve, const std::vector<std::size_t>& panel) const {
        if (panel.size() == 1) return label_of(drawing_.y[curve]);
        // Its unit, where the label at the side cannot say it for all.
        const std::string& text = drawing_.y[curve].text;
        const bool one_text = std::all_of(panel.begin(), panel.end(),
                                          [&](auto c) { return drawing_.y[c].text == text; });
        const std::size_t comma = text.rfind(", ");
        return drawing_.y[curve].name +
               (one_text || comma == std::string::npos ? "" : text.substr(comma));
    }

    /// Lines of at most some 115 characters, broken at blanks.
    void wrap_notes() {
        constexpr std::size_t most = 115;
        for (const std::string& note : drawing_.notes) {
            std::string now;
            std::size_t begin = 0;
            while (begin < note.size()) {
                const std::size_t end = std::min(note.find(' ', begin), note.size());
                const std::string word = note.substr(begin, end - begin);
                if (!now.empty() && count_characters(now) + count_characters(word) + 1 > most) {
                    notes_.push_back(now);
                    now = "    " + word;
                } else {
                    now += (now.empty() ? "" : " ") + word;
                }
                begin = end + 1;
            }
            notes_.push_back(now);
        }
    }

    void write_notes() {
        for (std::size_t i = 0; i < notes_.size(); ++i)
            line("set label {} {} at screen {:.5f},{:.5f} left font ',{}' textcolor rgb '#505050'",
                 i + 1, gnuplot_text(notes_[i]), 12 / width_,
                 (note_height * (static_cast<double>(notes_.size() - i) - 0.4)) / total_height_,
                 look_.title_size - 3);
    }

    /// A path in space keeps its shape, unless it is so slender that nothing would be seen of it.
    void make_axes_equal() {
        constexpr double slender = 5.0;
        const bool places = panels_.size() == 1 && is_place(drawing_.x.name) &&
                            std::all_of(drawing_.y.begin(), drawing_.y.end(),
                                        [](auto& y) { return is_place(y.name); });
        Axis& y_axis = y_axes_.front();
        const double per_x = x_axis_.width() / panel_width(),
                     per_y = y_axis.width() / panel_height();
        if (!places || per_x > slender * per_y || per_y > slender * per_x) return;
        const auto widen = [](Axis& axis, double by) {
            axis.low -= by / 2;
            axis.high += by / 2;
        };
        if (per_x < per_y) widen(x_axis_, (per_y - per_x) * panel_width());
        else widen(y_axis, (per_x - per_y) * panel_height());
    }

    void write_settings() {
        line("set encoding utf8");
        line("set terminal {} noenhanced size {:.0f},{:.0f} font '{}' background rgb '#ffffff'",
             look_.terminal, width_, total_height_, look_.font);
        line("set border 3 lw 1 lc rgb '#606060'");
        line("set tics out nomirror scale 0.5 textcolor rgb '#303030'");
        line("set grid lt 1 lw 0.8 lc rgb '#e2e2e2'");
        line("set lmargin at screen {:.5f}", left_ / width_);
        line("set rmargin at screen {:.5f}", 1 - right_ / width_);
        line("set xrange [{}:{}]", shortest(x_axis_.low), shortest(x_axis_.high));
        line("set xtics {}", shortest(x_step()));
        for (const double x : drawing_.marks)
            line(
                "set arrow from first {0},graph 0 to first {0},graph 1 nohead dt 2 lw 1 lc rgb "
                "'#909090' back",
                shortest(x));
    }

    /// `$c3`: the curve with a blank line at each gap; `$p3`: its points that stand alone, which no
    /// line shows.
    void write_data(std::size_t i) {
        const std::vector<Piece> pieces = thinned(drawing_.x.values, drawing_.y[i].values);
        std::string alone;
        bool first = true;
        line("$c{} << EOD", i);
        for (const Piece& piece : pieces) {
            if (!first) script_ += '\n';
            first = false;
            for (const Point& p : piece) line("{:.17g} {:.17g}", p.x, p.y);
            if (piece.size() == 1)
                alone += fmt::format("{:.17g} {:.17g}\n", piece[0].x, piece[0].y);
        }
        line("EOD");
        has_lines_.push_back(
            std::any_of(pieces.begin(), pieces.end(), [](const Piece& p) { return p.size() > 1; }));
        has_points_.push_back(!alone.empty());
        if (!alone.empty()) line("$p{} << EOD\n{}EOD", i, alone);
    }

    /// The names with what they have in common; where they are too many characters, what they begin
    /// with: `bead` of bead.x and bead.y, or their text alone. The legend has all names.
    std::string y_label(const std::vector<std::size_t>& panel, std::size_t most) const {
        const std::string& text = drawing_.y[panel.front()].text;
        const bool one_text = std::all_of(panel.begin(), panel.end(),
                                          [&](auto c) { return drawing_.y[c].text == text; });
        std::string names;
        for (const std::size_t curve : panel)
            names += (names.empty() ? "" : ", ") + drawing_.y[curve].name;
        const std::string& first = drawing_.y[panel.front()].name;
        const std::string begin = first.substr(0, first.find('.') + 1);
        const bool one_begin = panel.size() > 1 && !begin.empty() &&
                               std::all_of(panel.begin(), panel.end(), [&](auto c) {
                                   return drawing_.y[c].name.starts_with(begin);
                               });
        const std::string common = one_begin ? begin.substr(0, begin.size() - 1) : "",
                          behind = one_text ? text : "";
        for (const std::string& candidate : {names, common})
            if (const std::string label = behind.empty()      ? candidate
                                          : candidate.empty() ? behind
                                                              : candidate + ": " + behind;
                count_characters(label) <= most)
                return label;
        return count_characters(behind) <= most ? behind : "";
    }

    void write_panel(std::size_t p) {
        const bool last = p + 1 == panels_.size();
        const double from_top = top_ + static_cast<double>(p) * (panel_height() + panel_gap);
        const double top = 1 - from_top / total_height_,
                     bottom = 1 - (from_top + panel_height()) / total_height_;
        if (p == 0 && !drawing_.title.empty())
            line("set title {} offset 0,{} font ',{}'",
                 gnuplot_text(shortened(drawing_.title, most_in_title)), look_.title_offset,
                 look_.title_size);
        else line("unset title");
        line("set tmargin at screen {:.5f}", top);
        line("set bmargin at screen {:.5f}", bottom);
        if (y_axes_[p].logarithmic) line("set logscale y");
        else if (p > 0 && y_axes_[p - 1].logarithmic) line("unset logscale y");
        line("set yrange [{}:{}]", shortest(y_axes_[p].low), shortest(y_axes_[p].high));
        line("set ytics {}", shortest(y_step(p)));
        line("set format y '%.{}g'", y_axes_[p].digits);
        line("set ylabel {}", gnuplot_text(y_label(panels_[p], most_at_side())));
        line("set format x '{}'", last ? fmt::format("%.{}g", x_axis_.digits) : "");
        if (last)
            line("set xlabel {} offset 0,{}",
                 gnuplot_text(shortened(label_of(drawing_.x), most_in_title)),
                 look_.x_label_offset);
        if (!has_legend(panels_[p])) line("unset key");
        else
            line("set key at screen {:.5f},{:.5f} left top Left reverse samplen 1.5 spacing 1.2",
                 1 - (right_ - 8) / width_, top);
        if (last) write_notes();  // once: labels stay for every panel behind them
        write_curves(panels_[p]);
    }

    void write_curves(const std::vector<std::size_t>& panel) {
        std::string curves;
        for (std::size_t k = 0; k < panel.size(); ++k) {
            const std::size_t i = panel[k];
            const std::string title =
                "title " + gnuplot_text(shortened(legend_of(i, panel), most_in_legend));
            if (has_lines_[i] && drawing_.points)
                curves += fmt::format("{}$c{} using 1:2 with points pt 7 ps 0.35 lc rgb '{}' {}",
                                      curves.empty() ? "" : ", ", i, colours[k], title);
            else if (has_lines_[i])
                curves += fmt::format("{}$c{} using 1:2 with lines lw 1.5 lc rgb '{}' {}",
                                      curves.empty() ? "" : ", ", i, colours[k], title);
            if (has_points_[i])
                curves += fmt::format("{}$p{} using 1:2 with points pt 7 ps 0.5 lc rgb '{}' {}",
                                      curves.empty() ? "" : ", ", i, colours[k],
                                      has_lines_[i] ? "notitle" : title);
        }
        line("plot {}", curves);
    }

    const PlotScript& drawing_;
    const Look& look_;
    std::vector<std::vector<std::size_t>> panels_;
    Axis x_axis_;
    std::vector<Axis> y_axes_;
    std::vector<std::string> notes_;
    double width_ = least_width, total_height_ = picture_height, top_ = 0, bottom_ = 0, left_ = 0,
           right_ = 0;
    std::vector<bool> has_lines_, has_points_;
    std::string script_;
};

}  // namespace

std::string gnuplot_script(const PlotScript& drawing) {
    return Script(drawing).text();
}

}  // namespace lacon::picture
