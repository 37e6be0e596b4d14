#ifndef REPEBBLE_IMPL_RECOMPUTE_SEGMENT_CUTS_IPP
#define REPEBBLE_IMPL_RECOMPUTE_SEGMENT_CUTS_IPP

#include <repebble/recompute/segment_cuts.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_by.hpp>
#include <repebble/graph/articulation_points.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto segment_cuts::resolved(cut_points where) const -> cut_points {
    if (where != cut_points::automatic) return where;
    constexpr std::size_t small = 16;
    auto const root = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(order_.size()))));
    auto const most = std::max(small, 2 * root);
    std::size_t begin = 0, longest = 0;
    for (auto const& cut : at_articulations()) {
        longest = std::max(longest, cut.position + 1 - begin);
        begin = cut.position + 1;
    }
    return std::max(longest, order_.size() - begin) <= most ? cut_points::articulation : cut_points::everywhere;
}

REPEBBLE_INLINE auto segment_cuts::at(std::span<std::vector<operation_index> const> groups) const -> std::vector<segment_cut> {
    std::vector<std::uint32_t> number(graph_.training().flow.operation_count(), graph_.none);
    for (std::uint32_t f = 0; f < order_.size(); ++f)
        for (auto const v : graph_.members(graph_.forward(f))) number[v] = f;
    std::vector<segment_cut> cuts;
    for (auto const& group : groups) {
        segment_cut cut;
        for (auto const v : group) {
            if (v >= number.size() || number[v] == graph_.none)
                detail::raise(
                    bad_graph("a cut at vertex " + std::to_string(v) + ", which is no forward operation"));
            cut.kept.push_back(number[v]);
            cut.position = std::max(cut.position, position_[number[v]]);
        }
        if (!cut.kept.empty()) cuts.push_back(std::move(cut));
    }
    sort_by(cuts, comes_before);
    return cuts;
}

REPEBBLE_INLINE auto segment_cuts::at_articulations() const -> std::vector<segment_cut> {
    std::vector<segment_cut> cuts;
    for (auto const f : articulation_points(graph_.problem().graph)) cuts.push_back({position_[f], {f}});
    sort_by(cuts, comes_before);
    return cuts;
}

REPEBBLE_INLINE auto segment_cuts::narrow_places() const -> std::vector<segment_cut> {
    auto const& problem = graph_.problem();
    auto const n = order_.size();
    std::vector<std::size_t> last(n, 0);  // per position: the last position that reads it
    for (std::size_t i = 0; i < n; ++i) {
        last[i] = i;
        for (auto const w : problem.graph.successors(order_[i])) last[i] = std::max(last[i], position_[w]);
    }
    std::vector<bytes> crossing(n, 0);  // per position: bytes read after it
    std::vector<bytes> ending(n, 0);
    bytes now = 0;
    for (std::size_t i = 0; i < n; ++i) {
        ending[last[i]] += problem.memory[order_[i]];
        now += problem.memory[order_[i]] - ending[i];
        crossing[i] = now;
    }
    std::vector<segment_cut> cuts;
    bool falling = true;
    for (std::size_t i = 0; i + 1 < n; ++i) {
        if (falling && crossing[i] < crossing[i + 1]) cuts.push_back({i, {}});
        if (crossing[i] != crossing[i + 1]) falling = crossing[i + 1] < crossing[i];
    }
    std::vector<std::uint32_t> open;
    std::size_t next = 0;
    for (auto& cut : cuts) {
        for (; next <= cut.position; ++next) open.push_back(static_cast<std::uint32_t>(next));
        std::erase_if(open, [&](auto i) { return last[i] <= cut.position; });
        for (auto const i : open) cut.kept.push_back(order_[i]);
    }
    return cuts;
}

}  // namespace repebble::inline v0::detail

#endif
