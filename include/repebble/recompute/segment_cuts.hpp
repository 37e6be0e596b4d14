#ifndef REPEBBLE_RECOMPUTE_SEGMENT_CUTS_HPP
#define REPEBBLE_RECOMPUTE_SEGMENT_CUTS_HPP

// Cuts of the forward pass: the positions in an order at which a segment may end, and the values that cross each. Three
// kinds without further input: articulation points (T. Chen, B. Xu, C. Zhang, C. Guestrin 2016), local minima of the
// bytes that cross, and every position (`detail/segments/crossing_values.hpp`). Used by the segment strategies and by
// chain_plan.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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
class segment_cuts {
  public:
    segment_cuts(planning_graph const& graph, std::span<std::uint32_t const> order)
        : graph_(graph), order_(order), position_(order.size()) {
        for (std::size_t i = 0; i < order.size(); ++i) position_[order[i]] = i;
    }

    /// Not for cuts everywhere, which `crossing_values` has.
    [[nodiscard]] auto at(cut_points where) const -> std::vector<segment_cut> {
        return where == cut_points::narrow_places ? narrow_places() : at_articulations();
    }

    /// Returns the kind of cuts that `automatic` stands for, or else the given one.
    [[nodiscard]] auto resolved(cut_points where) const -> cut_points;

    /// Returns one cut for each group of operations of the training graph, which are kept together.
    /// Throws bad_graph where one is no forward operation.
    [[nodiscard]] auto at(std::span<std::vector<operation_index> const> groups) const -> std::vector<segment_cut>;

  private:
    static auto comes_before(segment_cut const& a, segment_cut const& b) -> bool { return a.position < b.position; }
    [[nodiscard]] auto at_articulations() const -> std::vector<segment_cut>;

    /// Returns the local minima of the bytes of values computed before and read after; of a plateau the last.
    [[nodiscard]] auto narrow_places() const -> std::vector<segment_cut>;

    planning_graph const& graph_;
    std::span<std::uint32_t const> order_;
    std::vector<std::size_t> position_;  // per forward number
};

}  // namespace detail

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/recompute/segment_cuts.ipp>
#endif

#endif
