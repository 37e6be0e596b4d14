#ifndef DRAWING_GROWTH_PICTURE_HPP
#define DRAWING_GROWTH_PICTURE_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "svg.hpp"

namespace drawing {

/// So many seconds, or whatever is measured, for something of that size.
struct growth_point {
    double size = 1;
    double value = 0;
};

/// How one thing grows. Lines of the same kind have the same colour.
struct growth_line {
    std::string kind;
    std::vector<growth_point> points;
    bool thin = false;
};

/// What the values are. The axes are made for many decades, or, where that is asked for, for few: then they begin and
/// end near the points, and 2 and 5 of each decade have lines, too.
struct growth_scale {
    double least = 1e-3;  ///< smaller values are drawn as that
    std::string unit = "s";
    bool few_decades = false;
};

namespace detail {

class growth_picture {
  public:
    growth_picture(std::vector<growth_line> const& lines, growth_scale const& scale)
        : lines_(lines), scale_(scale), bottom_decade_(std::log10(scale.least)) {
        if (!scale.few_decades) bottom_decade_ = std::floor(bottom_decade_);
        double least = 0, most = 0;
        bool first = true;
        for (auto const& line : lines)
            for (auto const& p : line.points) {
                auto const at = std::log10(p.size);
                least = first ? at : std::min(least, at);
                most = first ? at : std::max(most, at);
                top_decade_ = first ? decade_of(p) : std::max(top_decade_, decade_of(p));
                first = false;
            }
        least_ = std::floor(10 * least) / 10 - 0.1;
        most_ = scale.few_decades ? most + 0.05 : std::max(most, least_ + 1);
        top_decade_ = scale.few_decades ? top_decade_ + 0.1 : std::max(0.0, std::ceil(top_decade_));
    }

    [[nodiscard]] auto draw(std::string_view title, growth_line const& guide) -> std::string {
        svg picture(760, 390);
        picture.words(left, 20, "start", title);
        for (auto const& [decade, text] : ticks(least_, most_)) {
            picture.line(x(decade), top, x(decade), bottom, "stroke=\"#ddd\"");
            picture.words(x(decade), bottom + 18, "middle", text);
        }
        for (auto const& [decade, text] : ticks(bottom_decade_, top_decade_)) {
            picture.line(left, y(decade), right, y(decade), "stroke=\"#ddd\"");
            picture.words(left - 6, y(decade) + 4, "end", text + " " + scale_.unit);
        }
        if (!guide.points.empty())
            picture.path(joined(guide.points), "fill=\"none\" stroke=\"#999\" stroke-dasharray=\"2 3\"");
        std::vector<std::string> kinds;
        for (auto const& line : lines_) {
            if (std::ranges::find(kinds, line.kind) == kinds.end()) {
                kinds.push_back(line.kind);
                picture.words(right + 14, 40 + 18 * static_cast<double>(kinds.size()), "start", line.kind,
                              colour(kinds, line));
            }
            draw_line(picture, line, colour(kinds, line));
        }
        if (!guide.points.empty())
            picture.words(right + 14, 58 + 18 * static_cast<double>(kinds.size()), "start", "dotted: " + guide.kind);
        return std::move(picture).finish();
    }

  private:
    static constexpr double left = 64, top = 34, right = 600, bottom = 340;

    /// Where the axis has lines, and what they say.
    [[nodiscard]] auto ticks(double from, double to) const -> std::vector<std::pair<double, std::string>> {
        std::vector<std::pair<double, std::string>> all;
        for (int e = static_cast<int>(std::floor(from)); e <= to; ++e)
            for (int const digit : {1, 2, 5}) {
                auto const decade = e + std::log10(digit);
                if (decade < from || decade > to || (digit > 1 && !scale_.few_decades)) continue;
                all.emplace_back(decade, scale_.few_decades ? shown(digit * std::pow(10, e), std::max(0, -e))
                                                            : "10^" + std::to_string(e));
            }
        return all;
    }
    [[nodiscard]] static auto colour(std::vector<std::string> const& kinds, growth_line const& line) -> std::string {
        constexpr std::array all{"#2f6fb0", "#c8452f", "#2f7f4f", "#8a5cb8", "#b8860b", "#555555"};
        return all[static_cast<std::size_t>(std::ranges::find(kinds, line.kind) - kinds.begin()) % all.size()];
    }

    void draw_line(svg& picture, growth_line const& line, std::string const& colour) const {
        picture.path(joined(line.points),
                     "fill=\"none\" stroke=\"" + colour + "\" stroke-width=\"" + (line.thin ? "0.8" : "1.8") + "\"");
        auto const* const r = line.thin ? "1.6" : "2.6";
        auto const* const across = line.thin ? "3.2" : "5.2";
        for (auto const& p : line.points)
            picture.path("M" + shown(x_of(p) - (line.thin ? 1.6 : 2.6), 1) + " " + shown(y(decade_of(p)), 1) + "a" + r +
                             " " + r + " 0 1 0 " + across + " 0a" + r + " " + r + " 0 1 0 -" + across + " 0z",
                         "fill=\"" + colour + "\"",
                         line.kind + ": " + shown(p.size, 0) + " in " + shown(p.value, 3) + " " + scale_.unit);
    }

    /// What took less than is measured lies on the axis.
    [[nodiscard]] auto decade_of(growth_point const& p) const -> double {
        return std::log10(std::max(p.value, std::pow(10, bottom_decade_)));
    }
    [[nodiscard]] auto x(double decade) const -> double {
        return left + (right - left) * (decade - least_) / (most_ - least_);
    }
    [[nodiscard]] auto x_of(growth_point const& p) const -> double { return x(std::log10(p.size)); }
    [[nodiscard]] auto y(double decade) const -> double {
        return bottom - (bottom - top) * (decade - bottom_decade_) / (top_decade_ - bottom_decade_);
    }
    [[nodiscard]] auto joined(std::vector<growth_point> const& points) const -> std::string {
        std::string d;
        for (auto const& p : points) d += (d.empty() ? "M" : "L") + shown(x_of(p), 1) + " " + shown(y(decade_of(p)), 1);
        return d;
    }

    std::vector<growth_line> const& lines_;
    growth_scale const& scale_;
    double least_ = 0, most_ = 1;  ///< decades of sizes
    double bottom_decade_;         ///< decades of values
    double top_decade_ = 0;
};

}  // namespace detail

/// Values against size as SVG, both logarithmic; the guide is dotted.
[[nodiscard]] inline auto growth_picture(std::string_view title, std::vector<growth_line> const& lines,
                                         growth_scale const& scale, growth_line const& guide = {}) -> std::string {
    return detail::growth_picture(lines, scale).draw(title, guide);
}

}  // namespace drawing

#endif
