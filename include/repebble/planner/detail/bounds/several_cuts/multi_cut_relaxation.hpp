#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_MULTI_CUT_RELAXATION_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_MULTI_CUT_RELAXATION_HPP

// The Lagrangian relaxation of a chain of cuts (`first_run_cut`), each after the one before: for multipliers of their
// capacities the best choice at all cuts together is one minimum cut, and its value is a lower bound. A recomputation
// after a cut is one after all earlier cuts and is counted once; a value kept or computed after a cut is kept at, or
// computed after, all earlier cuts behind its first computation. The bound is no lower than that of any of its cuts
// alone.

#include <algorithm>
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
    multi_cut_relaxation(capacity_rows const& capacities, std::int64_t scale)
        : capacities_(capacities),
          decided_(capacities.decided()),
          m_(decided_.model()),
          scale_(scale),
          layers_(capacities.count()) {
        auto const& decided = decided_;
        auto const cuts = decided.cuts();
        for (auto& l : layers_) {
            l.operations.assign(m_.operation_count(), none);
            l.values.assign(m_.value_count(), none);
        }
        for (std::size_t i = cuts.size(); i-- > 0;)
            for (auto const x : cuts[i].live_values()) require(source, i, x);
        for (std::size_t i = 0; i < cuts.size(); ++i) {
            if (i > 0)
                for (value_index x = 0; x < m_.value_count(); ++x)
                    if (decided.is_kept(i, x)) require(source, i - 1, x);
            for (operation_index p = 0; p < m_.operation_count(); ++p)
                if (decided.certain_runs(i + 1)[p] && !cuts[i].is_after(p))
                    arcs_.push_back({source, run(i, p), maximum_flow::unlimited});
        }
        while (!open_.empty()) {
            auto const [i, p] = open_.back();
            open_.pop_back();
            expand(i, p);
        }
    }

    /// The undecided checkpoints of the network.
    [[nodiscard]] auto checkpoints() const noexcept -> std::vector<checkpoint_decision> const& { return checkpoints_; }

    /// Returns the best choice for a multiplier of one unit at each cut.  O(a maximum flow).
    [[nodiscard]] auto solve(std::span<std::int64_t const> multipliers) const -> answer {
        maximum_flow flow(nodes_, source, sink);
        for (auto const& a : arcs_) {
            auto capacity = a.capacity;
            if (a.checkpoint != none) capacity = multipliers[a.cut] * decided_.size(checkpoints_[a.checkpoint].value);
            flow.add_arc(a.from, a.to, capacity);
        }
        flow.build();
        answer out{.value = flow.maximise(), .used = std::vector<bytes>(capacities_.count(), 0)};
        out.feasible = out.value < maximum_flow::unlimited;
        if (!out.feasible) return out;
        out.side = flow.source_side();
        out.is_kept.assign(checkpoints_.size(), false);
        for (auto const& a : arcs_)
            if (a.checkpoint != none && out.side[a.from] && !out.side[a.to]) {
                out.used[a.cut] += decided_.size(checkpoints_[a.checkpoint].value);
                out.is_kept[a.checkpoint] = true;
            }
        return out;
    }

    /// Whether the operation runs after the cut in that solution.
    [[nodiscard]] auto runs_after(answer const& chosen, std::size_t cut, operation_index p) const -> bool {
        auto const at = layers_[cut].operations[p];
        return at != none && chosen.side[at];
    }
    /// Returns the solution as one choice for each cut.
    [[nodiscard]] auto choices(answer const& chosen) const -> std::vector<checkpoint_choice> {
        std::vector<checkpoint_choice> all;
        for (std::size_t i = 0; i < layers_.size(); ++i) {
            auto const& cut = decided_.cuts()[i];
            all.push_back(choice_of(cut, [&](operation_index p) {
                return runs_after(chosen, i, p) && (m_.operations[p].recomputable || !cut.is_before(p));
            }));
        }
        return all;
    }

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
    void require(node reader, std::size_t i, value_index x) {
        for (auto at = i + 1; at-- > 0;) {
            auto const& cut = decided_.cuts()[at];
            auto& l = layers_[at];
            if (cut.is_produced_after(x) || m_.producers[x].size() != 1) return;
            if (!decided_.has_node(at, x)) continue;
            bool const first = l.values[x] == none;
            if (first) l.values[x] = nodes_++;
            arcs_.push_back({reader, l.values[x], maximum_flow::unlimited});
            if (!first) return;
            auto const p = m_.producers[x].front();
            auto const producer = run(at, p);
            if (decided_.is_excluded(at, x)) {
                arcs_.push_back({l.values[x], producer, maximum_flow::unlimited});
            } else {
                arcs_.push_back({l.values[x], producer, 0, static_cast<std::uint32_t>(checkpoints_.size()),
                                 static_cast<std::uint32_t>(at)});
                checkpoints_.push_back({at, x});
            }
            reader = l.values[x];
        }
    }
    auto run(std::size_t i, operation_index p) -> node {
        auto& mine = layers_[i].operations[p];
        if (mine == none) {
            mine = nodes_++;
            open_.push_back({i, p});
        }
        return mine;
    }
    void expand(std::size_t i, operation_index p) {
        auto const mine = layers_[i].operations[p];
        auto const& o = m_.operations[p];
        auto const cuts = decided_.cuts();
        if (!decided_.may_run_after(i, p) && cuts[i].is_before(p)) {
            arcs_.push_back({mine, sink, maximum_flow::unlimited});
            return;
        }
        bool const charged = decided_.is_charged(i, p);
        if (charged || (cuts[i].is_before(p) && !o.recomputable)) {
            arcs_.push_back({mine, sink, o.recomputable ? scale_ * o.again : maximum_flow::unlimited});
        }
        if (i > 0 && !cuts[i - 1].is_after(p)) arcs_.push_back({mine, run(i - 1, p), maximum_flow::unlimited});
        for (auto const x : m_.reads[p]) require(mine, i, x);
    }

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

#endif
