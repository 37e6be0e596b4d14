#ifndef DRAWING_OFFSETS_PICTURE_HPP
#define DRAWING_OFFSETS_PICTURE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/io/buffer_table.hpp>
#include <repebble/io/byte_size.hpp>

#include "svg.hpp"

namespace drawing {

/// What a picture of offsets shows beside the buffers.
struct offsets_picture_options {
    std::string title{};
    repebble::bytes lower_bound = 0;
    std::optional<repebble::bytes> capacity{};
    std::size_t most = 20'000;  ///< so many buffers are drawn one by one, the largest first
};

namespace detail {

class offsets_picture {
  public:
    using bytes = repebble::bytes;

    offsets_picture(repebble::io::buffer_table const& table, std::span<bytes const> offsets,
                    offsets_picture_options const& options)
        : table_(table), offsets_(offsets), options_(options) {
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            height_ = std::max(height_, offsets[i] + table.buffers[i].size);
            table.buffers[i].for_each_piece([&](repebble::buffer_piece const& p) {
                times_.push_back(p.lifetime.lower), times_.push_back(p.lifetime.upper);
            });
        }
        std::ranges::sort(times_);
        times_.erase(std::ranges::unique(times_).begin(), times_.end());
        top_address_ = 1.04 * static_cast<double>(std::max({bytes{1}, height_, options.lower_bound}));
        if (options.capacity)  // a far larger one is not drawn to scale
            top_address_ =
                std::max(top_address_, std::min(1.04 * static_cast<double>(*options.capacity), 2 * top_address_));
    }

    [[nodiscard]] auto draw() -> std::string {
        draw_axes();
        draw_buffers();
        draw_levels();
        picture_.words(left, 22, "start", options_.title);
        picture_.words((left + right) / 2, bottom + 42, "middle",
                       "time: all moments at which a buffer comes or goes, at equal distances");
        return std::move(picture_).finish();
    }

  private:
    static constexpr int width = 1200, height = 760;
    static constexpr double left = 90, right = 1160, top = 56, bottom = 700;

    /// In coordinates of the picture.
    struct rectangle {
        double x1, y1, x2, y2;
        [[nodiscard]] auto area() const { return (x2 - x1) * (y2 - y1); }
    };

    [[nodiscard]] auto x(std::int64_t when) const -> double {
        auto const k = std::ranges::lower_bound(times_, when) - times_.begin();
        return left + (right - left) * static_cast<double>(k) / static_cast<double>(times_.size() - 1);
    }
    [[nodiscard]] auto y(double address) const -> double { return bottom - (bottom - top) * address / top_address_; }
    [[nodiscard]] auto y(bytes address) const -> double { return y(static_cast<double>(address)); }

    [[nodiscard]] auto rectangles(std::size_t i) const -> std::vector<rectangle> {
        std::vector<rectangle> found;
        table_.buffers[i].for_each_piece([&](repebble::buffer_piece const& p) {
            found.push_back({x(p.lifetime.lower), y(offsets_[i] + p.bytes.upper), x(p.lifetime.upper),
                             y(offsets_[i] + p.bytes.lower)});
        });
        return found;
    }

    [[nodiscard]] static auto path_of(std::vector<rectangle> const& all) -> std::string {
        std::string d;
        for (auto const& r : all)
            d += "M" + shown(r.x1, 2) + " " + shown(r.y1, 2) + "H" + shown(r.x2, 2) + "V" + shown(r.y2, 2) + "H" +
                 shown(r.x1, 2) + "z";
        return d;
    }

    /// Colours go from blue for the smallest to red for the largest, by the logarithm.
    [[nodiscard]] auto colour_of(bytes size) const -> std::string {
        auto const log = [](bytes b) { return std::log(static_cast<double>(std::max<bytes>(b, 1))); };
        auto const share = largest_ > smallest_ ? (log(size) - log(smallest_)) / (log(largest_) - log(smallest_)) : 0.5;
        return "hsl(" + shown(std::round(24 * (1 - share)) * 10, 0) + ",55%,65%)";
    }

    void draw_buffers() {
        std::vector<std::pair<double, std::size_t>> by_area;  // what can be seen, the largest first
        smallest_ = std::numeric_limits<bytes>::max();
        for (std::size_t i = 0; i < table_.buffers.size(); ++i) {
            double area = 0;
            for (auto const& r : rectangles(i)) area += r.area();
            if (!(area > 0)) continue;
            by_area.emplace_back(-area, i);
            smallest_ = std::min(smallest_, table_.buffers[i].size);
            largest_ = std::max(largest_, table_.buffers[i].size);
        }
        std::ranges::sort(by_area);
        auto const drawn = std::min(options_.most, by_area.size());
        draw_together(std::span(by_area).subspan(drawn));
        std::map<std::string, std::vector<std::size_t>> of_style;
        for (auto const& [area, i] : std::span(by_area).first(drawn)) of_style[style_of(i)].push_back(i);
        for (auto& [style, members] : of_style) {
            std::ranges::sort(members);
            picture_.begin_group(style);
            for (auto const i : members) {
                auto const alias = table_.buffers[i].alias_of.has_value();  // lies over the buffer whose alias it is
                picture_.path(path_of(rectangles(i)), alias ? "fill-opacity=\"0.3\" stroke-dasharray=\"3 2\"" : "",
                              title_of(i));
            }
            picture_.end_group();
        }
    }

    /// Outlines are only for what is not all outline.
    [[nodiscard]] auto style_of(std::size_t i) const -> std::string {
        auto const all = rectangles(i);
        bool const thick = std::ranges::all_of(all, [](auto const& r) { return r.x2 - r.x1 > 3 && r.y2 - r.y1 > 3; });
        return "fill=\"" + colour_of(table_.buffers[i].size) + "\"" +
               (thick ? " stroke=\"#333\" stroke-width=\"0.3\"" : "");
    }

    [[nodiscard]] auto title_of(std::size_t i) const -> std::string {
        auto const& b = table_.buffers[i];
        return table_.names[i] + ": time [" + std::to_string(b.lifetime.lower) + ", " +
               std::to_string(b.lifetime.upper) + "), size " + std::to_string(b.size) + ", offset " +
               std::to_string(offsets_[i]);
    }

    /// Buffers too many to be drawn one by one: grey wherever they cover at least half of a cell of 1.5 by 1.5.
    void draw_together(std::span<std::pair<double, std::size_t> const> rest) {
        if (rest.empty()) return;
        constexpr double cell = 1.5;
        constexpr auto columns = static_cast<std::size_t>((right - left) / cell) + 1;
        constexpr auto rows = static_cast<std::size_t>((bottom - top) / cell) + 1;
        std::vector<float> covered(columns * rows, 0);
        auto const shared = [](double a, double b, std::size_t k) {
            return std::min(b, static_cast<double>(k + 1)) - std::max(a, static_cast<double>(k));
        };
        for (auto const& [area, i] : rest)
            for (auto const& r : rectangles(i)) {
                auto const x1 = (r.x1 - left) / cell, x2 = (r.x2 - left) / cell;
                auto const y1 = (r.y1 - top) / cell, y2 = (r.y2 - top) / cell;
                for (auto row = static_cast<std::size_t>(y1); row < rows && static_cast<double>(row) < y2; ++row)
                    for (auto k = static_cast<std::size_t>(x1); k < columns && static_cast<double>(k) < x2; ++k)
                        covered[row * columns + k] += static_cast<float>(shared(x1, x2, k) * shared(y1, y2, row));
            }
        std::string d;
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t k = 0; k < columns; ++k) {
                auto const begin = k;
                while (k < columns && covered[row * columns + k] >= 0.5F) ++k;
                if (k == begin) continue;
                d += "M" + shown(left + cell * static_cast<double>(begin), 1) + " " +
                     shown(top + cell * static_cast<double>(row), 1) + "h" +
                     shown(cell * static_cast<double>(k - begin), 1) + "v" + shown(cell, 1) + "h-" +
                     shown(cell * static_cast<double>(k - begin), 1) + "z";
            }
        picture_.path(d, "fill=\"#999\"", std::to_string(rest.size()) + " small buffers");
    }

    void draw_axes() {
        double step = 1;  // of addresses: a power of two
        while (top_address_ / step > 12) step *= 2;
        for (double address = 0; address <= top_address_ && address < 0x1p63; address += step) {
            picture_.line(left, y(address), right, y(address), "stroke=\"#ddd\"");
            picture_.words(left - 8, y(address) + 4, "end", repebble::io::format_bytes(static_cast<bytes>(address)));
        }
        if (times_.size() < 2) return;
        std::size_t const ticks = std::min<std::size_t>(10, times_.size() - 1);
        for (std::size_t t = 0; t <= ticks; ++t) {
            auto const when = times_[(times_.size() - 1) * t / ticks];
            picture_.line(x(when), bottom, x(when), bottom + 5, "stroke=\"#444\"");
            picture_.words(x(when), bottom + 20, "middle", std::to_string(when));
        }
    }

    void draw_levels() {
        auto const shown_bytes = [](bytes b) { return repebble::io::format_bytes(b); };
        double at = left;
        auto const level = [&](bytes address, std::string const& what, std::string const& colour,
                               std::string const& dashes) {
            if (static_cast<double>(address) <= top_address_)
                picture_.line(left, y(address), right, y(address), "stroke=\"" + colour + "\"" + dashes);
            picture_.words(at, 42, "start", what + " " + shown_bytes(address), colour);
            at += 230;
        };
        level(height_, "height", "#111", "");
        level(options_.lower_bound, "lower bound", "#1d5390", " stroke-dasharray=\"6 4\"");
        if (options_.capacity) level(*options_.capacity, "capacity", "#c0392b", " stroke-dasharray=\"2 3\"");
    }

    repebble::io::buffer_table const& table_;
    std::span<bytes const> offsets_;
    offsets_picture_options const& options_;
    svg picture_{width, height};
    std::vector<std::int64_t> times_{};  // at which a piece begins or ends
    bytes height_ = 0;
    double top_address_ = 1;
    bytes smallest_ = 0;
    bytes largest_ = 0;
};

}  // namespace detail

/// A plan of offsets as SVG: time from left to right, addresses from bottom to top, a rectangle for every piece of a
/// buffer, that says id, lifetime, size and offset where the mouse rests on it. Of time only the order counts: all
/// moments at which a buffer comes or goes are equally far apart.
/// Requires: as many names and offsets as buffers.  O(n log n).
[[nodiscard]] inline auto offsets_picture(repebble::io::buffer_table const& table,
                                          std::span<repebble::bytes const> offsets,
                                          offsets_picture_options const& options) -> std::string {
    return detail::offsets_picture(table, offsets, options).draw();
}

}  // namespace drawing

#endif
