#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_MULTI_CUT_RELAXATION_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_MULTI_CUT_RELAXATION_HPP

// The Lagrangian relaxation of a chain of cuts (`first_run_cut`), each after the one before: for multipliers of their
// capacities the best choice at all cuts together is one minimum cut, and its value is a lower bound. A recomputation
// after a cut is one after all earlier cuts and is counted once; a value kept or computed after a cut is kept at, or
// computed after, all earlier cuts behind its first computation. The bound is no lower than that of any of its cuts
// alone.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <repebble/detail/maximum_flow/maximum_flow.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>
#include <repebble/planner/detail/bounds/several_cuts/branching_decisions.hpp>
#include <repebble/planner/detail/bounds/several_cuts/capacity_rows.hpp>
#include <repebble/planner/detail/bounds/several_cuts/propagation.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// The network of one chain under decisions. Recomputations that must run between two cuts (`propagation`) are counted
/// apart from those after them.
class multi_cut_relaxation {
  public:
    /// An optimal solution of the relaxation.
    struct answer {
        bool feasible = true;
        std::int64_t value = 0;       ///< of the minimum cut: scale · time + multipliers · bytes
        std::vector<bytes> used{};    ///< by cut: units that are used, without inputs and decided values
        std::vector<bool> is_kept{};  ///< by checkpoint
        std::vector<bool> side{};     ///< by node: on the source's side
    };
    /// Refers to the capacities.
    multi_cut_relaxation(capacity_rows const& capacities, std::int64_t scale);

    /// The undecided checkpoints of the network.
    [[nodiscard]] auto checkpoints() const noexcept -> std::vector<checkpoint_decision> const& { return checkpoints_; }

    /// Returns the best choice for a multiplier of one unit at each cut.  O(a maximum flow).
    [[nodiscard]] auto solve(std::span<std::int64_t const> multipliers) const -> answer;

    /// Whether the operation runs after the cut in that solution.
    [[nodiscard]] auto runs_after(answer const& chosen, std::size_t cut, operation_index p) const -> bool {
        auto const at = layers_[cut].operations[p];
        return at != none && chosen.side[at];
    }
    /// Returns the solution as one choice for each cut.
    [[nodiscard]] auto choices(answer const& chosen) const -> std::vector<checkpoint_choice>;

  private:
    using node = maximum_flow::node;
    static constexpr node source = 0, sink = 1;
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();

    struct layer {
        std::vector<node> operations{}, values{};
    };
    struct network_arc {
        node from, to;
        std::int64_t capacity;  // unless it is that of a checkpoint
        std::uint32_t checkpoint = none;
        std::uint32_t cut = 0;
    };
    struct operation_at {
        std::size_t cut;
        operation_index operation;
    };

    /// Adds the arcs by which a reader after cut i needs x there, and across all earlier cuts behind its first
    /// computation.
    void require(node reader, std::size_t i, value_index x);
    auto run(std::size_t i, operation_index p) -> node;
    void expand(std::size_t i, operation_index p);

    capacity_rows const& capacities_;
    propagation const& decided_;
    planning_model const& m_;
    std::int64_t scale_;
    std::vector<layer> layers_;
    std::vector<network_arc> arcs_;
    std::vector<checkpoint_decision> checkpoints_;
    std::vector<operation_at> open_;
    node nodes_ = 2;
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/bounds/several_cuts/multi_cut_relaxation.ipp>
#endif

#endif
