#ifndef DRAWING_PIPELINE_PICTURE_HPP
#define DRAWING_PIPELINE_PICTURE_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <repebble/pipelines/pipeline.hpp>
#include <repebble/pipelines/pipeline_schedule.hpp>
#include <repebble/pipelines/verify_pipeline.hpp>

#include "svg.hpp"

namespace drawing {

namespace detail {

class pipeline_picture {
  public:
    pipeline_picture(repebble::pipeline const& p, repebble::pipeline_schedule const& schedule,
                     repebble::pipeline_cost const& cost)
        : p_(p), schedule_(schedule), cost_(cost), picture_(width, static_cast<int>(y(p.ranks)) + 40) {}

    [[nodiscard]] auto draw(std::string_view title) -> std::string {
        picture_.style("@media (prefers-color-scheme:dark){svg>rect{fill:#181a1b}text{fill:#ccc}}");
        picture_.words(left, 22, "start", title);
        draw_legend();
        for (std::size_t r = 0; r < p_.ranks; ++r) draw_rank(r);
        picture_.words(left, y(p_.ranks) + 16, "middle", "0");
        picture_.words(right, y(p_.ranks) + 16, "middle", std::to_string(cost_.makespan));
        return std::move(picture_).finish();
    }

  private:
    static constexpr int width = 1200;
    static constexpr double left = 70, right = 1150, top = 60, row = 34, height = 26;
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> colours{
        {{"forward", "#5b8fd1"},
         {"input gradient", "#58a55c"},
         {"weight gradient", "#b7a03c"},
         {"backward", "#58a55c"},
         {"computed again", "#c8553d"}}};

    [[nodiscard]] static auto y(std::size_t rank) -> double { return top + row * static_cast<double>(rank); }
    [[nodiscard]] auto x(std::int64_t time) const -> double {
        return left + (right - left) * static_cast<double>(time) /
                          static_cast<double>(std::max<std::int64_t>(cost_.makespan, 1));
    }
    [[nodiscard]] static auto fill(std::size_t colour, double opacity) -> std::string {
        return "fill=\"" + std::string(colours.at(colour).second) + "\" fill-opacity=\"" + shown(opacity, 2) + "\"";
    }
    [[nodiscard]] auto box(std::int64_t begin, std::int64_t end, double at) const -> std::string {
        return "M" + shown(x(begin), 2) + " " + shown(at, 1) + "H" + shown(x(end), 2) + "v" + shown(height, 1) + "H" +
               shown(x(begin), 2) + "z";
    }
    void draw_legend() {
        double at = left;
        for (std::size_t c = 0; c < colours.size(); ++c) {
            if (colours.at(c).first == "backward") continue;  // as its gradients of inputs
            picture_.path("M" + shown(at, 1) + " 34h12v12h-12z", fill(c, 1));
            picture_.words(at + 18, 45, "start", colours.at(c).first);
            at += 140;
        }
    }
    /// The later stages of a rank are paler.
    [[nodiscard]] auto opacity(std::size_t stage) const -> double {
        auto const before = std::count_if(p_.stages.begin(), p_.stages.begin() + static_cast<std::ptrdiff_t>(stage),
                                          [&](auto const& s) { return s.rank == p_.stages[stage].rank; });
        return std::max(0.4, 1 - 0.35 * static_cast<double>(before));
    }
    void draw_rank(std::size_t r) {
        picture_.words(left - 8, y(r) + 18, "end", "rank " + std::to_string(r));
        for (std::size_t i = 0; i < schedule_.orders[r].size(); ++i) {
            auto const& pass = schedule_.orders[r][i];
            auto const& span = cost_.spans[r][i];
            auto const choice = schedule_.choices[pass.stage * p_.microbatches + pass.microbatch];
            bool const recomputes =
                pass.kind == repebble::pass_kind::input_gradient || pass.kind == repebble::pass_kind::backward;
            auto const again = recomputes ? p_.stages[pass.stage].choices[choice].recomputation : 0;
            auto const said = to_string(pass) + ": " + std::to_string(span.begin) + " to " + std::to_string(span.end);
            auto const style = fill(static_cast<std::size_t>(pass.kind), opacity(pass.stage)) +
                               " stroke=\"#fff\" stroke-width=\"0.4\"";
            picture_.path(box(span.begin + again, span.end, y(r)), style, said);
            if (again > 0)
                picture_.path(box(span.begin, span.begin + again, y(r)), fill(4, 1),
                              said + ", the first " + std::to_string(again) + " again");
            if (x(span.end) - x(span.begin) > 16)
                picture_.words((x(span.begin + again) + x(span.end)) / 2, y(r) + 18, "middle",
                               std::to_string(pass.microbatch), "#111");
        }
    }

    repebble::pipeline const& p_;
    repebble::pipeline_schedule const& schedule_;
    repebble::pipeline_cost const& cost_;
    svg picture_;
};

}  // namespace detail

/// A schedule of a pipeline as SVG: time from left to right, a row for each rank, a box with the number of its
/// microbatch for every pass, that says stage and times where the mouse rests on it. What is computed again is red.
/// Requires: the cost is that of the schedule.  O(passes + stages²).
[[nodiscard]] inline auto pipeline_picture(repebble::pipeline const& p, repebble::pipeline_schedule const& schedule,
                                           repebble::pipeline_cost const& cost, std::string_view title) -> std::string {
    return detail::pipeline_picture(p, schedule, cost).draw(title);
}

}  // namespace drawing

#endif
