#ifndef REPEBBLE_RECOMPUTE_SEGMENT_CUTS_HPP
#define REPEBBLE_RECOMPUTE_SEGMENT_CUTS_HPP

// Cuts of the forward pass: the positions in an order at which a segment may end, and the values that cross each. Three
// kinds without further input: articulation points (T. Chen, B. Xu, C. Zhang, C. Guestrin 2016), local minima of the
// bytes that cross, and every position (`detail/segments/crossing_values.hpp`). Used by the segment strategies and by
// chain_plan.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/detail/sort_by.hpp>
#include <repebble/graph/articulation_points.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0 {

/// Default places at which a plan by segments may cut the forward pass.
enum class cut_points : std::uint8_t {
    articulation,   ///< at vertices whose removal disconnects the graph
    narrow_places,  ///< at local minima of the bytes that cross, of one or several vertices
    everywhere,     ///< at every position, with the values that cross it: those of fewest bytes are chosen
    automatic,      ///< at articulation points where no part between them has more than 16 and 2 √n operations, else
                    ///< everywhere
};

namespace detail {

/// A position in a sequence of forward operations at which it may be cut, and the vertices that are kept there.
struct segment_cut {
    std::size_t position = 0;           ///< in the sequence: the last operation before the cut
    std::vector<std::uint32_t> kept{};  ///< forward numbers
};

/// Enumerates the cuts of a forward pass in a given order (of forward numbers), sorted by position.
template <quantity Time>
class segment_cuts {
  public:
    segment_cuts(planning_graph<Time> const& graph, std::span<std::uint32_t const> order)
        : graph_(graph), order_(order), position_(order.size()) {
        for (std::size_t i = 0; i < order.size(); ++i) position_[order[i]] = i;
    }

    /// Not for cuts everywhere, which `crossing_values` has.
    [[nodiscard]] auto at(cut_points where) const -> std::vector<segment_cut> {
        return where == cut_points::narrow_places ? narrow_places() : at_articulations();
    }

    /// Returns the kind of cuts that `automatic` stands for, or else the given one.
    [[nodiscard]] auto resolved(cut_points where) const -> cut_points {
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

    /// Returns one cut for each group of operations of the training graph, which are kept together.
    /// Throws bad_graph where one is no forward operation.
    [[nodiscard]] auto at(std::span<std::vector<operation_index> const> groups) const -> std::vector<segment_cut> {
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

  private:
    static auto comes_before(segment_cut const& a, segment_cut const& b) -> bool { return a.position < b.position; }
    [[nodiscard]] auto at_articulations() const -> std::vector<segment_cut> {
        std::vector<segment_cut> cuts;
        for (auto const f : articulation_points(graph_.problem().graph)) cuts.push_back({position_[f], {f}});
        sort_by(cuts, comes_before);
        return cuts;
    }

    /// Returns the local minima of the bytes of values computed before and read after; of a plateau the last.
    [[nodiscard]] auto narrow_places() const -> std::vector<segment_cut> {
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

    planning_graph<Time> const& graph_;
    std::span<std::uint32_t const> order_;
    std::vector<std::size_t> position_;  // per forward number
};

}  // namespace detail

}  // namespace repebble::inline v0

#endif
