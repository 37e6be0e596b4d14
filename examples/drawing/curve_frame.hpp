#ifndef DRAWING_CURVE_FRAME_HPP
#define DRAWING_CURVE_FRAME_HPP

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace drawing {

/// Memory in per cent of what keep_all needs, and time above everything once in per cent of that.
struct curve_point {
    double memory = 0;
    double overhead = 0;
};

/// What one strategy takes within budgets, from the least to the most; of a plan without a budget, its peak.
struct curve_series {
    std::string name;
    std::vector<curve_point> plans;
};

/// One graph.
struct curve_panel {
    std::string title;
    double floor = 0;       ///< memory that every schedule needs; 0: not known
    double impossible = 0;  ///< memory within which there is proven to be no schedule, where that is more
    curve_series bounded{};
    std::vector<curve_point> bounds{};  ///< no schedule within such a budget has less overhead
    std::vector<curve_series> others{};
    double most_overhead = 100;                          ///< what has more leaves the picture
    double most_memory = 100;                            ///< the axis goes at least so far
    std::string along = "budget, % of keep_all's peak";  ///< what the memory of its points is
};

namespace detail {

/// Where a panel of curves is in the picture, and what its axes show.
struct curve_frame {
    double left, top, right, bottom;
    double least, most;  ///< memory
    double highest = 1;  ///< overhead

    curve_frame(curve_panel const& panel, double left, double top, double right, double bottom)
        : left(left), top(top), right(right), bottom(bottom), least(panel.floor), most(panel.most_memory) {
        auto const widen = [&](std::vector<curve_point> const& points) {
            for (auto const& p : points) {
                if (p.overhead <= panel.most_overhead) highest = std::max(highest, 1.04 * p.overhead);
                least = std::min(least, p.memory);
                most = std::max(most, p.memory);
            }
        };
        widen(panel.bounded.plans);
        widen(panel.bounds);
        for (auto const& other : panel.others) widen(other.plans);
        least = std::max(least - 0.04 * std::max(most - least, 1.0), 0.0);
    }

    [[nodiscard]] auto x(double memory) const -> double {
        return left + (right - left) * (memory - least) / (most - least);
    }
    [[nodiscard]] auto y(double overhead) const -> double {
        return bottom - (bottom - top) * std::max(overhead, 0.0) / highest;
    }
    [[nodiscard]] auto shows(curve_point const& p) const -> bool { return p.overhead <= highest; }

    /// The least of 1, 2, 2.5 and 5 times a power of ten that divides a range in at most `steps`.
    [[nodiscard]] static auto step_of(double range, double steps) -> double {
        double const ten = std::pow(10, std::floor(std::log10(range / steps)));
        for (double const factor : {1.0, 2.0, 2.5, 5.0})
            if (range <= steps * factor * ten) return factor * ten;
        return 10 * ten;
    }
};

}  // namespace detail

}  // namespace drawing

#endif
