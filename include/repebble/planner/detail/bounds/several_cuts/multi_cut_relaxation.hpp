#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_MULTI_CUT_RELAXATION_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_SEVERAL_CUTS_MULTI_CUT_RELAXATION_HPP

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
#include <repebble/planner/detail/bounds/several_cuts/cost_split.hpp>
#include <repebble/planner/detail/bounds/several_cuts/propagation.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>

namespace repebble::inline v0::detail {

/// The relaxation of several moments (`first_run_cut`), each after the one before, at once. What runs after a moment
/// again runs after all earlier ones again, and is paid for once; what is held or runs after a moment is held at, or
/// runs after, all earlier ones that come after its first computation. So for a price on the bytes of every moment the
/// best choice is a minimum cut once more, and the sum is a bound; without a split of the costs, no lower than that of
/// one of the moments. What decisions show to run between two moments is paid for apart from what comes later
/// (`propagation`).
class multi_cut_relaxation {
  public:
    /// What prices lead to.
    struct answer {
        bool feasible = true;
        std::int64_t value = 0;       ///< of the cut: scale · time + prices · bytes
        std::vector<bytes> used{};    ///< of each room, beside what the operation reads and what was decided
        std::vector<bool> is_held{};  ///< of every hold
        std::vector<bool> side{};     ///< the source's, of every node
    };
    /// Refers to the rooms.  `split`: its costs, which are scaled and are referred to, instead of all that is known to
    /// be paid for.
    multi_cut_relaxation(capacity_rows const& rooms, std::int64_t scale, cost_split const* split = nullptr)
        : rooms_(rooms),
          decided_(rooms.decided()),
          m_(decided_.model()),
          scale_(scale),
          split_(split),
          layers_(rooms.moments()) {
        auto const& decided = decided_;
        auto const cuts = decided.cuts();
        for (auto& l : layers_) {
            l.operations.assign(m_.operation_count(), none);
            l.values.assign(m_.value_count(), none);
        }
        for (std::size_t i = cuts.size(); i-- > 0;)
            for (auto const x : cuts[i].wanted()) want(source, i, x);
        for (std::size_t i = 0; i < cuts.size(); ++i) {
            if (i > 0)
                for (value_index x = 0; x < m_.value_count(); ++x)
                    if (decided.is_held(i, x)) want(source, i - 1, x);
            for (operation_index p = 0; p < m_.operation_count(); ++p)
                if (decided.certain_runs(i + 1)[p] && !cuts[i].is_after(p))
                    arcs_.push_back({source, run(i, p), maximum_flow::unlimited});
        }
        if (split) paid_ = paid_after(decided, *split);
        while (!open_.empty()) {
            auto const [i, p] = open_.back();
            open_.pop_back();
            look_at(i, p);
        }
        if (!split) return;
        for (std::size_t i = 0; i < cuts.size(); ++i)
            for (value_index x = 0; x < m_.value_count(); ++x)
                if (split->holds[i][x] < 0 && layers_[i].values[x] == none && decided.is_paid_for(i, x))
                    unwanted_.push_back({i, x});
    }

    /// What can be held at some moment, and is not decided.
    [[nodiscard]] auto holds() const noexcept -> std::vector<checkpoint_decision> const& { return holds_; }

    /// For a price of the unit in each room.  O(a maximum flow).
    [[nodiscard]] auto solve(std::span<std::int64_t const> prices) const -> answer {
        maximum_flow flow(nodes_, source, sink);
        std::int64_t gained = 0;  // by what is held for more than its price
        auto const price = [&](std::size_t i, value_index x) {
            auto paid = split_ ? split_->holds[i][x] : 0;
            rooms_.for_each_at(i, [&](std::size_t r) { paid += prices[r] * rooms_.size(r, x); });
            return paid;
        };
        for (auto const& a : arcs_) {
            auto capacity = a.capacity;
            if (a.hold != none) {
                auto const paid = price(a.moment, holds_[a.hold].value);
                capacity = std::max<std::int64_t>(0, paid);
                gained += std::min<std::int64_t>(0, paid);
            }
            flow.add_arc(a.from, a.to, capacity);
        }
        for (auto const& h : unwanted_) gained += std::min<std::int64_t>(0, price(h.moment, h.value));
        flow.build();
        answer out{.value = flow.maximise(), .used = std::vector<bytes>(rooms_.count(), 0)};
        out.feasible = out.value < maximum_flow::unlimited;
        if (!out.feasible) return out;
        out.value += gained;
        out.side = flow.source_side();
        out.is_held.assign(holds_.size(), false);
        for (auto const& a : arcs_)
            if (a.hold != none && out.side[a.from] && !out.side[a.to]) {
                rooms_.for_each_at(a.moment,
                                   [&](std::size_t r) { out.used[r] += rooms_.size(r, holds_[a.hold].value); });
                out.is_held[a.hold] = true;
            }
        return out;
    }

    /// Whether the operation runs after the moment by that choice.
    [[nodiscard]] auto runs_after(answer const& chosen, std::size_t moment, operation_index p) const -> bool {
        auto const at = layers_[moment].operations[p];
        return at != none && chosen.side[at];
    }
    /// What is held and what runs again at each moment.
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
        std::int64_t capacity;  // but of a hold
        std::uint32_t hold = none;
        std::uint32_t moment = 0;
    };
    struct operation_at {
        std::size_t moment;
        operation_index operation;
    };

    /// Whoever reads value x after a moment wants it there, and after the moments before.
    void want(node reader, std::size_t i, value_index x) {
        for (auto at = i + 1; at-- > 0;) {
            auto const& cut = decided_.cuts()[at];
            auto& l = layers_[at];
            if (cut.comes_after(x) || m_.producers[x].size() != 1) return;
            if (!decided_.is_priced(at, x)) continue;
            bool const first = l.values[x] == none;
            if (first) l.values[x] = nodes_++;
            arcs_.push_back({reader, l.values[x], maximum_flow::unlimited});
            if (!first) return;
            auto const p = m_.producers[x].front();
            auto const again = run(at, p);
            if (decided_.is_not_held(at, x)) {
                arcs_.push_back({l.values[x], again, maximum_flow::unlimited});
            } else {
                arcs_.push_back(
                    {l.values[x], again, 0, static_cast<std::uint32_t>(holds_.size()), static_cast<std::uint32_t>(at)});
                holds_.push_back({at, x});
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
    void look_at(std::size_t i, operation_index p) {
        auto const mine = layers_[i].operations[p];
        auto const& o = m_.operations[p];
        auto const cuts = decided_.cuts();
        if (!decided_.may_run_after(i, p) && cuts[i].is_before(p)) {
            arcs_.push_back({mine, sink, maximum_flow::unlimited});
            return;
        }
        bool const charged = split_ ? paid_[i][p] > 0 : decided_.is_charged(i, p);
        if (charged || (cuts[i].is_before(p) && !o.recomputable)) {
            auto const cost = split_ ? paid_[i][p] : scale_ * o.again;
            arcs_.push_back({mine, sink, o.recomputable ? cost : maximum_flow::unlimited});
        }
        if (i > 0 && !cuts[i - 1].is_after(p)) arcs_.push_back({mine, run(i - 1, p), maximum_flow::unlimited});
        for (auto const x : m_.reads[p]) want(mine, i, x);
    }

    capacity_rows const& rooms_;
    propagation const& decided_;
    planning_model const& m_;
    std::int64_t scale_;
    cost_split const* split_;
    std::vector<std::vector<std::int64_t>> paid_;  // by the split, of every moment and operation
    std::vector<checkpoint_decision> unwanted_;    // what is not wanted, but brings in more than it costs
    std::vector<layer> layers_;
    std::vector<network_arc> arcs_;
    std::vector<checkpoint_decision> holds_;
    std::vector<operation_at> open_;
    node nodes_ = 2;
};

}  // namespace repebble::inline v0::detail

#endif
