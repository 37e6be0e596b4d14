#ifndef DRAWING_CURVES_PICTURE_HPP
#define DRAWING_CURVES_PICTURE_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "curve_frame.hpp"
#include "svg.hpp"

namespace drawing {

namespace detail {

class curves_picture {
  public:
    curves_picture(std::vector<curve_panel> const& panels, std::size_t columns)
        : panels_(panels), columns_(std::min(panels.size(), columns)), large_(panels.size() == 1) {
        auto const right = margin + static_cast<double>(columns_) * pitch_x() - margin;
        auto add = [&, x = margin, y = 40.0](std::string const& name, std::string const& colour,
                                             std::string const& style) mutable {
            auto const width = 46 + 7.4 * static_cast<double>(name.size());
            if (x + width > right + 20) x = margin, y += 18;
            legend_.push_back({name, colour, style, x, y});
            x += width;
        };
        add(panels.front().bounded.name, colour_of(panels.front().bounded.name), stroke(bounded_colour(), 2.2));
        add("lower bound", bounded_colour(), dashed(bounded_colour()));
        if (panels.front().floor > 0) add("floor", floor_colour, dotted(floor_colour));
        for (auto const& panel : panels)
            for (auto const& series : panel.others)
                if (std::ranges::find(legend_, series.name, &entry::name) == legend_.end())
                    add(series.name, colour_of(series.name), stroke(colour_of(series.name), 3));
        head_ = legend_.back().y + 24;
    }

    [[nodiscard]] auto draw(std::string const& title) -> std::string {
        auto const rows = (panels_.size() + columns_ - 1) / columns_;
        svg picture(static_cast<int>(margin + static_cast<double>(columns_) * pitch_x() - margin + 30),
                    static_cast<int>(head_ + static_cast<double>(rows) * pitch_y()));
        picture.words(margin, 22, "start", title);
        for (auto const& e : legend_) {
            picture.line(e.x, e.y, e.x + 20, e.y, e.style);
            picture.words(e.x + 26, e.y + 4, "start", e.name, e.colour);
        }
        for (std::size_t p = 0; p < panels_.size(); ++p) draw_panel(picture, p);
        return std::move(picture).finish();
    }

  private:
    struct entry {
        std::string name, colour, style;
        double x, y;
    };

    static constexpr double margin = 64;
    static constexpr auto floor_colour = "#c0392b";

    [[nodiscard]] auto width() const -> double { return large_ ? 800 : 310; }
    [[nodiscard]] auto height() const -> double { return large_ ? 400 : 230; }
    [[nodiscard]] auto pitch_x() const -> double { return width() + margin; }
    [[nodiscard]] auto pitch_y() const -> double { return height() + 84; }

    /// The same strategy has the same colour in every panel and every picture.
    [[nodiscard]] static auto colour_of(std::string const& name) -> std::string {
        constexpr std::array<std::pair<char const*, char const*>, 23> known{{{"automatic", "#1d5390"},
                                                                             {"lower_set_exact", "#1f7a3f"},
                                                                             {"lower_set_approximate", "#93c83e"},
                                                                             {"greedy_eviction", "#d9822b"},
                                                                             {"save_set", "#a154a1"},
                                                                             {"sqrt_segments", "#8c1d18"},
                                                                             {"keep_all", "#333"},
                                                                             {"least_peak_order", "#e0b040"},
                                                                             {"forget_all", "#7a5c3e"},
                                                                             {"lower_set_exhaustive", "#3aa6a6"},
                                                                             {"segment_plan", "#c2577a"},
                                                                             {"chain", "#0f8b8d"},
                                                                             {"plan", "#1d5390"},
                                                                             {"greedy", "#3aa6a6"},
                                                                             {"DQN", "#1f7a3f"},
                                                                             {"DQN, last policy", "#93c83e"},
                                                                             {"random", "#333"},
                                                                             {"memonger", "#8c1d18"},
                                                                             {"SuperNeurons: swapping", "#d9822b"},
                                                                             {"SuperNeurons: recomputing", "#e0b040"},
                                                                             {"SuperNeurons: both", "#7a5c3e"},
                                                                             {"TFLMS", "#a154a1"},
                                                                             {"vDNN: all", "#c2577a"}}};
        auto const at = std::ranges::find(known, name, [](auto const& k) { return std::string(k.first); });
        return at == known.end() ? "#666" : at->second;
    }
    [[nodiscard]] auto bounded_colour() const -> std::string { return colour_of(panels_.front().bounded.name); }

    void draw_panel(svg& picture, std::size_t p) const {
        auto const& panel = panels_[p];
        double const left = margin + static_cast<double>(p % columns_) * pitch_x();
        double const top = head_ + 20 + static_cast<double>(p / columns_) * pitch_y();
        curve_frame const f(panel, left, top, left + width(), top + height());
        draw_axes(picture, panel, f);
        auto const id = "panel" + std::to_string(p);
        picture.clip(id, f.left - 6, f.top, f.right + 6, f.bottom + 6);
        picture.begin_group("clip-path=\"url(#" + id + ")\"");
        draw_bounds(picture, panel, f);
        for (auto const& series : panel.others) draw_series(picture, series, f, 1.3);
        draw_series(picture, panel.bounded, f, 2.2);
        picture.end_group();
    }

    void draw_axes(svg& picture, curve_panel const& panel, curve_frame const& f) const {
        auto const impossible = std::max(panel.floor, panel.impossible);
        if (impossible > f.least)
            picture.path("M" + place(f, {f.least, 0}) + "L" + place(f, {f.least, f.highest}) + "L" +
                             place(f, {impossible, f.highest}) + "L" + place(f, {impossible, 0}) + "z",
                         "fill=\"#f6ebe9\"", "none exists within " + shown(impossible, 1) + " %");
        if (panel.floor > 0) picture.line(f.x(panel.floor), f.top, f.x(panel.floor), f.bottom, dotted(floor_colour));
        auto const up = curve_frame::step_of(f.highest, large_ ? 10 : 6);
        for (double overhead = 0; overhead <= f.highest; overhead += up) {
            picture.line(f.left, f.y(overhead), f.right, f.y(overhead), "stroke=\"#ddd\"");
            picture.words(f.left - 8, f.y(overhead) + 4, "end", number(overhead) + " %");
        }
        auto const along = curve_frame::step_of(f.most - f.least, large_ ? 12 : 6);
        for (double memory = std::ceil(f.least / along) * along; memory <= f.most; memory += along) {
            picture.line(f.x(memory), f.bottom, f.x(memory), f.bottom + 5, "stroke=\"#444\"");
            picture.words(f.x(memory), f.bottom + 20, "middle", number(memory) + " %");
        }
        picture.line(f.left, f.bottom, f.right, f.bottom, "stroke=\"#444\"");
        picture.words(f.left, f.top - 8, "start", panel.title);
        picture.words(
            (f.left + f.right) / 2, f.bottom + 38, "middle",
            large_ ? "budget in per cent of keep_all's peak; upwards, time above everything once" : panel.along);
    }

    /// The lower bound, and a band between it and the plans: there the least time is.
    void draw_bounds(svg& picture, curve_panel const& panel, curve_frame const& f) const {
        auto band = joined(panel.bounded.plans, f);
        auto const& plans = panel.bounded.plans;
        for (std::size_t i = panel.bounds.size(); i-- > 0 && !plans.empty();)
            if (panel.bounds[i].memory >= plans.front().memory && panel.bounds[i].memory <= plans.back().memory)
                band += "L" + place(f, panel.bounds[i]);
        if (!plans.empty()) picture.path(band + "z", "fill=\"" + bounded_colour() + "\" fill-opacity=\"0.15\"");
        picture.path(joined(panel.bounds, f), dashed(bounded_colour()));
    }

    void draw_series(svg& picture, curve_series const& series, curve_frame const& f, double thickness) const {
        auto const colour = colour_of(series.name);
        if (series.plans.size() > 1) picture.path(joined(series.plans, f), stroke(colour, thickness));
        auto const radius = series.plans.size() > 1 ? 1.2 + 0.8 * thickness : 4.5;
        auto const r = shown(radius, 1), across = shown(2 * radius, 1);
        for (auto const& p : series.plans)
            if (f.shows(p))
                picture.path("M" + shown(f.x(p.memory) - radius, 1) + " " + shown(f.y(p.overhead), 1) + "a" + r + " " +
                                 r + " 0 1 0 " + across + " 0a" + r + " " + r + " 0 1 0 -" + across + " 0z",
                             "fill=\"" + colour + "\"",
                             series.name + ": " + shown(p.overhead, 2) + " % above, at " + shown(p.memory, 1) + " %");
    }

    [[nodiscard]] static auto number(double x) -> std::string { return shown(x, x == std::floor(x) ? 0 : 1); }
    [[nodiscard]] static auto place(curve_frame const& f, curve_point const& p) -> std::string {
        return shown(f.x(p.memory), 1) + " " + shown(f.y(p.overhead), 1);
    }
    [[nodiscard]] static auto joined(std::vector<curve_point> const& points, curve_frame const& f) -> std::string {
        std::string d;
        for (auto const& p : points) d += (d.empty() ? "M" : "L") + place(f, p);
        return d;
    }
    [[nodiscard]] static auto stroke(std::string const& colour, double width) -> std::string {
        return "fill=\"none\" stroke=\"" + colour + "\" stroke-width=\"" + shown(width, 1) + "\"";
    }
    [[nodiscard]] static auto dashed(std::string const& colour) -> std::string {
        return stroke(colour, 1.2) + " stroke-dasharray=\"5 3\"";
    }
    [[nodiscard]] static auto dotted(std::string const& colour) -> std::string {
        return stroke(colour, 1) + " stroke-dasharray=\"2 3\"";
    }

    std::vector<curve_panel> const& panels_;
    std::size_t columns_;
    bool large_;  ///< one panel, nearly as wide as three
    std::vector<entry> legend_{};
    double head_ = 0;  ///< where the first row of panels begins
};

}  // namespace detail

/// Overhead against budget as SVG, so many panels in a row. Lines join the budgets that were asked; a single plan is a
/// dot. Between the series with bounds and its bounds there is a band; within the floor, and what is proven impossible,
/// the ground is red.
/// Requires: a panel; points from the least memory to the most.
[[nodiscard]] inline auto curves_picture(std::string const& title, std::vector<curve_panel> const& panels,
                                         std::size_t columns = 3) -> std::string {
    return detail::curves_picture(panels, columns).draw(title);
}

}  // namespace drawing

#endif
