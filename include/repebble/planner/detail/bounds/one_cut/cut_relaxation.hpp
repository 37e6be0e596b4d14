#ifndef REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_CUT_RELAXATION_HPP
#define REPEBBLE_PLANNER_DETAIL_BOUNDS_ONE_CUT_CUT_RELAXATION_HPP

// The Lagrangian relaxation of the knapsack at one cut (Lagrangian bound): the capacity constraint gets one multiplier;
// for a multiplier the best choice is a minimum cut in a closure network, and the best multiplier is found by bisection
// and line intersection with warm-started maximum flows. Multipliers are integers over a scale, so the bound is exact.
// `cut_search` branches on it; the rounding of byte units is that of Gomory and Chvátal.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/maximum_flow/maximum_flow.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>

namespace repebble::inline v0::detail {

/// A branching decision: the value is kept at the cut, or is excluded.
struct cut_decision {
    value_index value = 0;
    bool kept = true;
};

/// The relaxation at one cut under decisions. Network: operations that run after the cut are on the source's side.
/// Bytes may be counted in units, rounded down: that relaxes sizes and capacity alike, and makes the bound stronger
/// where most sizes are multiples of the unit.
class cut_relaxation {
  public:
    struct result {
        std::int64_t bound = 0;                     ///< lower bound on the time of recomputations
        bool feasible = true;                       ///< false: no choice fits the capacity
        std::optional<checkpoint_choice> fits{};    ///< the best choice within the capacity, in units, that was met
        std::optional<checkpoint_choice> beyond{};  ///< its neighbour beyond the capacity
    };

    cut_relaxation(first_run_cut const& cut, bytes budget, bytes unit, std::vector<cut_decision> const& decisions)
        : cut_(cut),
          m_(cut.model()),
          unit_(unit),
          capacity_(cut.capacity(budget)),
          decided_(m_.value_count(), decision::none) {
        bytes left = capacity_;
        if (left >= 0) capacity_ /= unit;
        for (auto const& d : decisions) {
            decided_[d.value] = d.kept ? decision::kept : decision::excluded;
            some_excluded_ = some_excluded_ || !d.kept;
            if (!d.kept) continue;
            left -= m_.sizes[d.value];
            capacity_ -= size(d.value);
        }
        if (left < 0) capacity_ = -1;
        if (capacity_ >= 0) choose_scale();
    }

    /// Maximizes the bound over the multiplier. Ends where the bound reaches `cutoff`, where it cannot exceed
    /// `least_useful`, or where `stop()` returns true.  O(a few maximum flows).
    [[nodiscard]] auto solve(std::int64_t cutoff, std::int64_t least_useful = -1, stop_test stop = never_stop{})
        -> result {
        if (capacity_ < 0 || least_kept() > capacity_) return {.feasible = false};
        result out;
        auto low = solve_at(0);                        // keeps too much
        for (bool const keeps_less : {true, false}) {  // two optima: the largest source side keeps fewest bytes
            out.beyond = chosen(low.flow, keeps_less);
            if (size(*out.beyond) > capacity_) continue;
            out.bound = out.beyond->time;
            std::swap(out.fits, out.beyond);
            return out;
        }
        std::int64_t high = highest_;  // keeps little enough
        for (int round = 0; round < most_rounds && high - low.multiplier > 1 && out.bound < cutoff; ++round) {
            if (stop() || most(out) <= static_cast<double>(least_useful)) break;
            auto next = low;
            raise(next, multiplier_between(low.multiplier, high, out));
            out.bound = std::max(out.bound, bound(next));
            auto c = chosen(next.flow, true);
            if (size(c) <= capacity_) {
                bool const known = out.fits && *out.fits == c;
                high = next.multiplier;
                out.fits = std::move(c);
                if (known || size(chosen(next.flow, false)) >= capacity_)
                    break;  // the subgradient is zero: the best multiplier
            } else {
                bool const known = *out.beyond == c;
                out.beyond = std::move(c);
                low = std::move(next);
                if (known && out.fits) break;
            }
        }
        return out;
    }

    /// Units that the choice keeps, without values that are kept by decision.
    [[nodiscard]] auto size(checkpoint_choice const& c) const -> bytes {
        bytes all = 0;
        for (auto const& [arc, x] : arcs_)
            if (c.kept[x] != 0) all += size(x);
        return all;
    }

  private:
    static constexpr int most_rounds = 64;
    static constexpr auto none = std::numeric_limits<maximum_flow::node>::max();
    enum class decision : std::uint8_t { none, kept, excluded };
    struct required_value {
        maximum_flow::node from;
        value_index value;
        bool to_producer;  // else to the node of the value, which several operations read
    };

    struct parametric_flow {
        maximum_flow flow;
        std::int64_t multiplier = 0, value = 0;
    };

    /// Chooses the scale so that scale · time + multiplier · bytes of everything stays below 2⁶⁰.
    void choose_scale() {
        double all = 1;
        for (value_index x = 0; x < m_.value_count(); ++x) all += static_cast<double>(size(x));
        double const time = static_cast<double>(std::max<std::int64_t>(1, m_.time_once));
        double const capacity = static_cast<double>(std::max<bytes>(1, capacity_));
        scale_ = static_cast<std::int64_t>(std::clamp(0x1p58 / (time * std::max(1.0, all / capacity)), 1.0, 0x1p40));
        // At a higher multiplier, keeping nothing is better than any choice that fills the capacity.
        highest_ =
            static_cast<std::int64_t>(std::min(0x1p59 / all, 2 * static_cast<double>(scale_) * time / capacity + 2));
    }
    [[nodiscard]] auto multiplier_between(std::int64_t low, std::int64_t high, result const& known) const
        -> std::int64_t {
        auto const middle = low + (high - low) / 2;
        if (!known.fits) return low < high / 64 ? high / 64 : middle;
        double const saved = static_cast<double>(size(*known.beyond) - size(*known.fits));
        double const time_lost = static_cast<double>(known.fits->time - known.beyond->time);
        return std::clamp(static_cast<std::int64_t>(static_cast<double>(scale_) * time_lost / saved), low + 1,
                          high - 1);
    }

    /// Largest bound that any multiplier can give: on the line between both neighbours of the capacity.
    [[nodiscard]] auto most(result const& known) const -> double {
        if (!known.fits) return std::numeric_limits<double>::infinity();
        double const slope = static_cast<double>(known.fits->time - known.beyond->time) /
                             static_cast<double>(size(*known.beyond) - size(*known.fits));
        return static_cast<double>(known.fits->time) - slope * static_cast<double>(capacity_ - size(*known.fits));
    }

    [[nodiscard]] auto least_kept() -> bytes {
        if (!some_excluded_ && std::ranges::all_of(m_.operations, &planning_model::operation::recomputable)) return 0;
        auto flow = make(0);
        for (auto const& [arc, x] : arcs_) flow.grow(arc, size(x));
        return flow.maximise();
    }
    [[nodiscard]] auto solve_at(std::int64_t multiplier) -> parametric_flow {
        parametric_flow f{make(scale_), 0, 0};
        raise(f, multiplier);
        return f;
    }
    void raise(parametric_flow& f, std::int64_t multiplier) const {
        for (auto const& [arc, x] : arcs_) f.flow.grow(arc, (multiplier - f.multiplier) * size(x));
        f.multiplier = multiplier;
        f.value = f.flow.maximise();
    }
    /// Returns (value - multiplier · capacity) / scale, rounded up.
    [[nodiscard]] auto bound(parametric_flow const& f) const -> std::int64_t {
        auto const above = f.value - f.multiplier * capacity_;
        return above <= 0 ? 0 : (above + scale_ - 1) / scale_;
    }

    /// Builds the network: nodes are the operations that may run after the cut for its live values, and the values that
    /// several of them read. Arcs to the sink have capacity `scale` for a unit of time; arcs of values have none yet.
    [[nodiscard]] auto make(std::int64_t scale) -> maximum_flow {
        constexpr maximum_flow::node source = 0, sink = 1;
        node_.assign(m_.operation_count(), none);
        arcs_.clear();
        std::vector<operation_index> operations;
        std::vector<required_value> required;
        std::vector<maximum_flow::node> shared(m_.value_count(), none);
        maximum_flow::node nodes = 2;
        auto const require = [&](maximum_flow::node reader, value_index x) {
            if (!has_node(x)) return;
            auto const p = m_.producers[x].front();
            if (node_[p] == none) {
                node_[p] = nodes++;
                operations.push_back(p);
            }
            bool const first = shared[x] == none;
            if (reader == source || (first && m_.readers[x].size() == 1)) {
                if (first) required.push_back({reader, x, true});
                shared[x] = reader;
                return;
            }
            if (first) required.push_back({shared[x] = nodes++, x, true});
            if (shared[x] != source) required.push_back({reader, x, false});
        };
        for (auto const x : cut_.live_values()) require(source, x);
        for (std::size_t k = 0; k < operations.size(); ++k)
            for (auto const x : m_.reads[operations[k]]) require(node_[operations[k]], x);

        maximum_flow flow(nodes, source, sink);
        for (auto const p : operations)
            if (cut_.is_before(p))
                flow.add_arc(node_[p], sink,
                             m_.operations[p].recomputable ? scale * m_.operations[p].again : maximum_flow::unlimited);
        for (auto const& [from, x, to_producer] : required) {
            bool const never = decided_[x] == decision::excluded;
            if (!to_producer) {
                flow.add_arc(from, shared[x], maximum_flow::unlimited);
            } else {
                auto const arc =
                    flow.add_arc(from, node_[m_.producers[x].front()], never ? maximum_flow::unlimited : 0);
                if (!never) arcs_.emplace_back(arc, x);
            }
        }
        flow.build();
        return flow;
    }
    [[nodiscard]] auto chosen(maximum_flow const& flow, bool keeps_less) const -> checkpoint_choice {
        auto const side = keeps_less ? flow.largest_source_side() : flow.source_side();
        return choice_of(cut_, [&](operation_index p) {
            return node_[p] != none && side[node_[p]] && (m_.operations[p].recomputable || !cut_.is_before(p));
        });
    }

    [[nodiscard]] auto has_node(value_index x) const -> bool {
        return m_.producers[x].size() == 1 && (size(x) > 0 || decided_[x] == decision::excluded) &&
               decided_[x] != decision::kept && !cut_.is_input(x) && !cut_.is_produced_after(x);
    }
    [[nodiscard]] auto size(value_index x) const -> bytes { return m_.sizes[x] / unit_; }

    first_run_cut const& cut_;
    planning_model const& m_;
    bytes unit_, capacity_;  // the latter in units
    std::vector<decision> decided_;
    bool some_excluded_ = false;
    std::int64_t scale_ = 1, highest_ = 1;
    std::vector<maximum_flow::node> node_;  // by operation
    std::vector<std::pair<maximum_flow::arc, value_index>> arcs_;
};

}  // namespace repebble::inline v0::detail

#endif
