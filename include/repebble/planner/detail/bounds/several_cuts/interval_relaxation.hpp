#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_INTERVAL_RELAXATION_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_INTERVAL_RELAXATION_HPP

// The relaxation of the interval between two cuts of a chain, a subproblem of the Lagrangian decomposition
// (`cost_split`): each value that is read in the interval, or kept at its end, is kept at its beginning or computed in
// it once. For given costs the best choice is a minimum cut.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <repebble/detail/maximum_flow/maximum_flow.hpp>
#include <repebble/planner/detail/bounds/several_cuts/cost_split.hpp>
#include <repebble/planner/detail/bounds/several_cuts/propagation.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// The network of one interval; costs are given to `solve`.
class interval_relaxation {
  public:
    struct answer {
        bool feasible = true;
        std::int64_t value = 0;
        std::vector<bool> runs{};       ///< by operation: it runs in the interval
        std::vector<bool> kept{};       ///< by value: kept at the first cut
        std::vector<bool> delivered{};  ///< by value: delivered to the second cut, for a reward
    };
    /// Refers to the decisions.  O(n + m).
    interval_relaxation(propagation const& decided, std::size_t first, std::size_t second)
        : decided_(decided),
          m_(decided.model()),
          first_(first),
          second_(second),
          operations_(m_.operation_count(), none),
          values_(m_.value_count(), none) {
        auto const& begin = decided.cuts()[first];
        auto const& end = decided.cuts()[second];
        for (operation_index p = 0; p < m_.operation_count(); ++p) {
            if (begin.is_after(p) && p != begin.at() && end.is_before(p))
                for (auto const x : m_.reads[p]) require(source, x);
            for (auto interval = first + 1; interval <= second; ++interval)
                if (decided.certain_runs(interval)[p] && !begin.is_after(p))
                    arcs_.push_back({source, run(p), maximum_flow::unlimited});
        }
        for (value_index x = 0; x < m_.value_count(); ++x) {
            if (end.is_produced_after(x)) continue;
            if (end.is_input(x) || decided.is_kept(second, x)) {
                require(source, x);
            } else if (decided.is_candidate(second, x)) {
                delivered_.push_back(x);
                if (!is_free(x)) arcs_.push_back({source, value(x), 0, kind::delivered, x});
            }
        }
        while (!open_.empty()) {
            auto const p = open_.back();
            open_.pop_back();
            expand(p);
        }
    }

    /// Returns the best choice for these costs.  O(a maximum flow).
    [[nodiscard]] auto solve(cost_block const& costs) const -> answer {
        maximum_flow flow(nodes_, source, sink);
        for (auto const& a : arcs_) flow.add_arc(a.from, a.to, capacity(a, costs));
        flow.build();
        answer out{.value = flow.maximise()};
        out.feasible = out.value < maximum_flow::unlimited;
        if (!out.feasible) return out;
        auto const side = flow.source_side();
        out.runs.assign(m_.operation_count(), false);
        out.kept.assign(m_.value_count(), false);
        out.delivered.assign(m_.value_count(), false);
        for (operation_index p = 0; p < m_.operation_count(); ++p)
            out.runs[p] = operations_[p] != none && side[operations_[p]];
        for (auto const& a : arcs_)
            if (a.what == kind::kept) out.kept[a.of] = side[a.from] && !side[a.to];
        for (auto const x : delivered_) {
            out.value -= costs.delivered[x];
            out.delivered[x] = is_free(x) || side[values_[x]];
        }
        return out;
    }

  private:
    using node = maximum_flow::node;
    static constexpr node source = 0, sink = 1;
    static constexpr auto none = std::numeric_limits<node>::max();

    enum class kind : std::uint8_t { fixed, runs, kept, delivered };
    struct network_arc {
        node from, to;
        std::int64_t capacity;
        kind what = kind::fixed;
        std::uint32_t of = 0;  // index of the operation or value
    };

    [[nodiscard]] static auto capacity(network_arc const& a, cost_block const& costs) -> std::int64_t {
        switch (a.what) {
            case kind::runs:
                return costs.runs[a.of];
            case kind::kept:
                return costs.kept[a.of];
            case kind::delivered:
                return costs.delivered[a.of];
            case kind::fixed:
                break;
        }
        return a.capacity;
    }
    /// Whether the value is resident at the first cut without cost.
    [[nodiscard]] auto is_free(value_index x) const -> bool {
        return decided_.cuts()[first_].is_produced_after(x) || m_.producers[x].size() != 1 ||
               !decided_.has_node(first_, x);
    }
    void require(node reader, value_index x) {
        if (!is_free(x)) arcs_.push_back({reader, value(x), maximum_flow::unlimited});
    }
    auto value(value_index x) -> node {
        if (values_[x] != none) return values_[x];
        values_[x] = nodes_++;
        auto const again = run(m_.producers[x].front());
        if (decided_.is_excluded(first_, x)) {
            arcs_.push_back({values_[x], again, maximum_flow::unlimited});
        } else {
            arcs_.push_back({values_[x], again, 0, kind::kept, x});
        }
        return values_[x];
    }
    auto run(operation_index p) -> node {
        if (operations_[p] == none) {
            operations_[p] = nodes_++;
            open_.push_back(p);
        }
        return operations_[p];
    }
    void expand(operation_index p) {
        if (decided_.cuts()[first_].is_before(p)) {
            bool may_run = false;
            for (auto interval = first_ + 1; interval <= second_; ++interval)
                may_run = may_run || !decided_.is_never(interval, p);
            if (may_run && m_.operations[p].recomputable) {
                arcs_.push_back({operations_[p], sink, 0, kind::runs, p});
            } else {
                arcs_.push_back({operations_[p], sink, maximum_flow::unlimited});
            }
        }
        for (auto const x : m_.reads[p]) require(operations_[p], x);
    }

    propagation const& decided_;
    planning_model const& m_;
    std::size_t first_, second_;
    std::vector<node> operations_, values_;
    std::vector<value_index> delivered_;
    std::vector<network_arc> arcs_;
    std::vector<operation_index> open_;
    node nodes_ = 2;
};

}  // namespace repebble::inline v0::detail

#endif
