#ifndef DRAWING_BAGS_PICTURE_HPP
#define DRAWING_BAGS_PICTURE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <repebble/decomposition/tree_decomposition.hpp>

#include "svg.hpp"
#include "tidy_tree.hpp"

namespace drawing {

namespace detail {

/// The levels of the tree from left to right; where they are many, in rows, every second from right to left.
class bags_picture {
  public:
    bags_picture(repebble::tree_decomposition const& made, std::span<std::string const> names)
        : made_(made), names_(names), tree_(lay_out_tree(made.bags.size(), made.edges)) {
        measure_levels();
        choose_rows();
        place_bags();
        scale_bags();
    }

    [[nodiscard]] auto draw(std::string_view title) -> std::string {
        svg picture(static_cast<int>(std::ceil(std::max(least_width, 2 * margin + across()))),
                    static_cast<int>(std::ceil(top + margin + high_ * units(columns_))));
        picture.words(20, 26, "start", title);
        draw_edges(picture);
        draw_bags(picture);
        return std::move(picture).finish();
    }

  private:
    static constexpr double least_width = 420, most_width = 1200;
    static constexpr double margin = 50, top = 70;
    static constexpr double usual_height = 800, most_height = 2400;  // without margins
    static constexpr double most_apart = 60;                         // bags
    static constexpr std::size_t most_rows = 100;
    static constexpr std::size_t most_listed = 200;

    struct point {
        double x = 0, y = 0;
    };
    /// In units of the layout.
    struct extent {
        double least = 0, most = 0;
    };

    void measure_levels() {
        for (auto const b : tree_.order) {
            auto const x = tree_.x[b];
            if (tree_.depths[b] == levels_.size()) levels_.push_back({x, x});
            levels_.back().most = x;
        }
        bool const is_path = std::ranges::all_of(levels_, [](extent e) { return e.least == e.most; });
        row_gap_ = is_path ? 1 : 2;
    }
    [[nodiscard]] auto extent_of_row(std::size_t row, std::size_t columns) const -> extent {
        auto all = levels_[row * columns];
        for (auto d = row * columns; d < std::min((row + 1) * columns, levels_.size()); ++d)
            all = {std::min(all.least, levels_[d].least), std::max(all.most, levels_[d].most)};
        return all;
    }
    [[nodiscard]] auto rows(std::size_t columns) const -> std::size_t {
        return columns == 0 ? 0 : (levels_.size() + columns - 1) / columns;
    }
    /// From the top to the bottom of all rows.
    [[nodiscard]] auto units(std::size_t columns) const -> double {
        double sum = 0;
        for (std::size_t row = 0; row < rows(columns); ++row) {
            auto const e = extent_of_row(row, columns);
            sum += e.most - e.least + (row > 0 ? row_gap_ : 0);
        }
        return sum;
    }
    /// So that bags are as far apart as can be.
    void choose_rows() {
        double best = 0;
        for (std::size_t count = 1; count <= std::min(most_rows, levels_.size()); ++count) {
            auto const columns = (levels_.size() + count - 1) / count;
            auto const all = std::max(units(columns), 1e-9);
            auto const most = most_width - 2 * margin;
            auto const wide = columns == 1 ? most : most / static_cast<double>(columns - 1);
            auto const high = std::max(usual_height, std::min(most_height, 3 * all)) / all;
            auto const apart = std::min({most_apart, wide, high});
            if (apart <= best * 1.01) continue;
            best = apart;
            columns_ = columns;
            high_ = std::min({most_apart, high, 1.6 * wide});
            wide_ = std::min(wide, 3 * most_apart - 2 * high_);  // wider where all is low
        }
    }
    [[nodiscard]] auto row_of(std::uint32_t b) const -> std::size_t { return tree_.depths[b] / columns_; }
    /// Whether the levels of its row are from left to right.
    [[nodiscard]] auto is_forward(std::uint32_t b) const -> bool { return row_of(b) % 2 == 0; }

    /// From the first to the last level of a row.
    [[nodiscard]] auto across() const -> double {
        return columns_ == 0 ? 0 : wide_ * static_cast<double>(columns_ - 1);
    }
    void place_bags() {
        places_.resize(made_.bags.size());
        double row_top = top;
        std::size_t row = 0;
        if (columns_ == 0) return;
        auto e = extent_of_row(0, columns_);
        for (auto const b : tree_.order) {
            if (row_of(b) != row) {
                row_top += (e.most - e.least + row_gap_) * high_;
                e = extent_of_row(++row, columns_);
            }
            auto const along = wide_ * static_cast<double>(tree_.depths[b] % columns_);
            places_[b] = {margin + (is_forward(b) ? along : across() - along),
                          row_top + (tree_.x[b] - e.least) * high_};
        }
    }

    /// Areas are proportional to sizes, and nearly no two circles overlap.
    void scale_bags() {
        for (auto const& bag : made_.bags) largest_ = std::max(largest_, bag.size());
        std::vector<double> scales;
        auto const add = [&](std::uint32_t a, std::uint32_t b) {
            auto const distance = std::hypot(places_[a].x - places_[b].x, places_[a].y - places_[b].y);
            scales.push_back(0.92 * distance / (root_of_size(a) + root_of_size(b)));
        };
        for (std::size_t k = 0; k < tree_.order.size(); ++k) {
            auto const b = tree_.order[k];
            if (k > 0) add(b, tree_.parents[b]);
            if (k > 0 && tree_.depths[tree_.order[k - 1]] == tree_.depths[b]) add(b, tree_.order[k - 1]);
        }
        scale_ = 26 / std::sqrt(static_cast<double>(std::max<std::size_t>(largest_, 1)));
        if (scales.empty()) return;
        auto const few = scales.begin() + static_cast<std::ptrdiff_t>(scales.size() / 50);
        std::ranges::nth_element(scales, few);
        scale_ = std::min(scale_, *few);
    }
    [[nodiscard]] auto root_of_size(std::size_t b) const -> double {
        return std::sqrt(static_cast<double>(std::max<std::size_t>(made_.bags[b].size(), 1)));
    }
    [[nodiscard]] auto radius(std::size_t b) const -> double { return std::max(scale_ * root_of_size(b), 1.0); }

    /// From one level to the next, or around the end of a row.
    void draw_edges(svg& picture) const {
        std::string d;
        auto const shown_point = [](double x, double y) { return shown(x, 1) + " " + shown(y, 1); };
        for (auto const b : tree_.order) {
            auto const a = tree_.parents[b];
            if (a == b) continue;
            auto const [x1, y1] = places_[a];
            auto const [x2, y2] = places_[b];
            bool const around = row_of(a) != row_of(b);
            auto const middle =
                around ? x1 + (is_forward(a) ? 1 : -1) * std::min(0.7 * margin, std::abs(y2 - y1)) : (x1 + x2) / 2;
            d += "M" + shown_point(x1, y1);
            if (y1 == y2)
                d += "H" + shown(x2, 1);
            else
                d += "C" + shown_point(middle, y1) + " " + shown_point(middle, y2) + " " + shown_point(x2, y2);
        }
        if (!d.empty())
            picture.path(
                d, "fill=\"none\" stroke=\"#aaa\" stroke-width=\"" + shown(std::clamp(high_ / 8, 0.3, 1.0), 1) + "\"");
    }
    void draw_bags(svg& picture) const {
        std::map<std::size_t, std::vector<std::uint32_t>> of_size;
        for (std::uint32_t b = 0; b < made_.bags.size(); ++b) of_size[made_.bags[b].size()].push_back(b);
        for (auto const& [size, members] : of_size) {
            auto const r = radius(members.front());
            picture.begin_group("fill=\"" + colour(size) + "\"" +
                                (r > 2 ? " stroke=\"#fff\" stroke-width=\"0.6\"" : ""));
            auto const circle = "a" + shown(r, 1) + " " + shown(r, 1) + " 0 1 0 " + shown(2 * r, 1) + " 0a" +
                                shown(r, 1) + " " + shown(r, 1) + " 0 1 0 -" + shown(2 * r, 1) + " 0z";
            for (auto const b : members)
                picture.path("M" + shown(places_[b].x - r, 1) + " " + shown(places_[b].y, 1) + circle, "", title_of(b));
            picture.end_group();
            auto const text = std::to_string(size);
            if (r < 4 + 3.2 * static_cast<double>(text.size())) continue;
            picture.begin_group("pointer-events=\"none\"");
            for (auto const b : members)
                picture.words(places_[b].x, places_[b].y + 4.5, "middle", text, share(size) > 0.55 ? "#fff" : "#333");
            picture.end_group();
        }
    }
    [[nodiscard]] auto share(std::size_t size) const -> double {
        return static_cast<double>(size) / static_cast<double>(std::max<std::size_t>(largest_, 1));
    }
    /// From a light blue to the red of the largest.
    [[nodiscard]] auto colour(std::size_t size) const -> std::string {
        auto const s = share(size);
        return "hsl(" + shown(210 + 145 * s, 0) + "," + shown(38 + 27 * s, 0) + "%," + shown(80 - 32 * s, 0) + "%)";
    }
    [[nodiscard]] auto title_of(std::size_t b) const -> std::string {
        auto const& bag = made_.bags[b];
        auto text = "bag " + std::to_string(b) + ", " + std::to_string(bag.size()) +
                    (bag.size() == 1 ? " vertex" : " vertices");
        auto const listed = std::min(bag.size(), most_listed);
        for (std::size_t k = 0; k < listed; ++k)
            (text += k == 0 ? ": " : ", ") += names_.empty() ? std::to_string(bag[k]) : names_[bag[k]];
        if (listed < bag.size()) text += " and " + std::to_string(bag.size() - listed) + " more";
        return text;
    }

    repebble::tree_decomposition const& made_;
    std::span<std::string const> names_;
    tidy_tree tree_;
    std::vector<extent> levels_{};
    std::vector<point> places_{};
    double row_gap_ = 1;          // in units of the layout
    std::size_t columns_ = 0;     // levels in a row
    double wide_ = 1, high_ = 1;  // a level and a unit of the layout
    double scale_ = 1;            // radius of a bag of one vertex
    std::size_t largest_ = 0;
};

}  // namespace detail

/// A tree of bags as SVG: a longest path of it from left to right, circles whose area is that of their bag, red where
/// it is large, and that say which vertices it has where the mouse rests on it. Requires: no names, or one of each
/// vertex; the bags form one tree.  O(n log n + what is shown).
[[nodiscard]] inline auto bags_picture(repebble::tree_decomposition const& made, std::span<std::string const> names,
                                       std::string_view title) -> std::string {
    return detail::bags_picture(made, names).draw(title);
}

}  // namespace drawing

#endif
