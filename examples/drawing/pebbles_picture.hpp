#ifndef DRAWING_PEBBLES_PICTURE_HPP
#define DRAWING_PEBBLES_PICTURE_HPP

// The pebble game as an animated picture: vertices light up while their values are resident, and a line moves along the
// number of pebbles.

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "svg.hpp"

namespace drawing {

/// A vertex of the game: where it lies, in steps of the picture's grid.
struct pebble_vertex {
    double column = 0, row = 0;
    std::string name{};
    std::vector<std::size_t> reads{};  ///< vertices
};

/// A step of the game: so many pebbles are placed on a vertex, one for each of its results, or one is taken away.
struct pebble_move {
    std::size_t vertex = 0;
    std::size_t placed = 1;  ///< 0: one is taken away
};

namespace detail {

class pebbles_picture {
  public:
    pebbles_picture(std::span<pebble_vertex const> vertices, std::span<pebble_move const> moves)
        : vertices_(vertices), moves_(moves), fills_(vertices.size(), {{0, white}}) {
        std::vector<bool> computed(vertices.size());
        std::vector<std::size_t> on(vertices.size());
        std::size_t resident = 0;
        for (std::size_t k = 0; k < moves.size(); ++k) {
            auto const [v, placed] = moves[k];
            auto const change = placed > 0 ? placed : std::size_t(-1);
            resident += change;
            on[v] += change;
            if (placed > 0)
                fills_[v].emplace_back(k, computed[v] ? again : first);
            else if (on[v] == 0)
                fills_[v].emplace_back(k, white);
            computed[v] = computed[v] || placed > 0;
            pebbles_.push_back(resident);
            most_ = std::max(most_, resident);
        }
        for (auto const& v : vertices) columns_ = std::max(columns_, v.column), rows_ = std::max(rows_, v.row);
    }

    [[nodiscard]] auto draw(std::string_view title) const -> std::string {
        auto const width = std::max(least_width, 2 * margin + columns_ * across);
        auto const below = top + rows_ * down + 40;  // the curve begins
        svg picture(static_cast<int>(width), static_cast<int>(below + high + 30));
        picture.words(margin, 24, "start", title);
        for (auto const& v : vertices_)
            for (auto const from : v.reads)
                picture.line(x(vertices_[from]), y(vertices_[from]), x(v), y(v), "stroke=\"#bbb\"");
        for (std::size_t v = 0; v < vertices_.size(); ++v) draw_vertex(picture, v);
        draw_pebbles(picture, below, width);
        return std::move(picture).finish();
    }

  private:
    static constexpr double margin = 30, top = 60, across = 44, down = 48, high = 70, least_width = 520;
    static constexpr double seconds_per_move = 0.25;
    static constexpr std::size_t pause = 8;  // moves' time at the end
    static constexpr std::string_view white = "#fff", first = "#2f6fb0", again = "#c8452f";

    [[nodiscard]] static auto x(pebble_vertex const& v) -> double { return margin + v.column * across; }
    [[nodiscard]] static auto y(pebble_vertex const& v) -> double { return top + v.row * down; }
    /// When move k happens, as a share of the whole.
    [[nodiscard]] auto time_of(std::size_t k) const -> std::string {
        return shown(static_cast<double>(k) / static_cast<double>(moves_.size() + pause), 5);
    }
    [[nodiscard]] auto animation(std::string_view attribute, std::string_view values, std::string_view times) const
        -> std::string {
        return "<animate attributeName=\"" + std::string(attribute) + "\" calcMode=\"discrete\" dur=\"" +
               shown(seconds_per_move * static_cast<double>(moves_.size() + pause), 2) +
               "s\" repeatCount=\"indefinite\" values=\"" + std::string(values) + "\" keyTimes=\"" +
               std::string(times) + "\"/>";
    }

    void draw_vertex(svg& picture, std::size_t v) const {
        std::string values, times;
        for (auto const& [k, fill] : fills_[v]) {
            if (!times.empty() && k == 0) values.clear(), times.clear();
            values += (values.empty() ? "" : ";") + std::string(fill);
            times += (times.empty() ? "" : ";") + time_of(k);
        }
        auto const& at = vertices_[v];
        picture.circle(x(at), y(at), 10, "fill=\"#fff\" stroke=\"#444\"", at.name, animation("fill", values, times));
    }
    void draw_pebbles(svg& picture, double above, double width) const {
        auto const right = width - margin, bottom = above + high;
        auto const at = [&](std::size_t k) {
            return margin + (right - margin) * static_cast<double>(k) / static_cast<double>(moves_.size());
        };
        std::string d, places, times;
        for (std::size_t k = 0; k < moves_.size(); ++k) {
            auto const height = bottom - high * static_cast<double>(pebbles_[k]) / static_cast<double>(most_);
            d += (d.empty() ? "M" : "L") + shown(at(k), 1) + " " + shown(height, 1) + "H" + shown(at(k + 1), 1);
            places += (k == 0 ? "" : ";") + shown(at(k), 1);
            times += (k == 0 ? "" : ";") + time_of(k);
        }
        picture.line(margin, bottom, right, bottom, "stroke=\"#999\"");
        picture.path(d, "fill=\"none\" stroke=\"#2f6fb0\" stroke-width=\"1.5\"");
        picture.words(margin, above - 8, "start", "pebbles: at most " + std::to_string(most_));
        picture.animated_line(margin, above, margin, bottom, "stroke=\"#c8452f\"",
                              animation("x1", places, times) + animation("x2", places, times));
    }

    std::span<pebble_vertex const> vertices_;
    std::span<pebble_move const> moves_;
    std::vector<std::vector<std::pair<std::size_t, std::string_view>>> fills_;  // per vertex, with the move
    std::vector<std::size_t> pebbles_;                                          // after each move
    std::size_t most_ = 1;
    double columns_ = 0, rows_ = 0;
};

}  // namespace detail

/// The game as animated SVG: vertices are blue while the result of their first computation is resident, red while that
/// of a further one is.  Requires: moves, which take away only what lies.
[[nodiscard]] inline auto pebbles_picture(std::string_view title, std::span<pebble_vertex const> vertices,
                                          std::span<pebble_move const> moves) -> std::string {
    return detail::pebbles_picture(vertices, moves).draw(title);
}

}  // namespace drawing

#endif
