#ifndef REPEBBLE_PLANNER_DETAIL_STARTS_EVICTION_START_HPP
#define REPEBBLE_PLANNER_DETAIL_STARTS_EVICTION_START_HPP

// Greedy eviction on any dataflow in nearly linear time: the planner's first start, and its last resort within smaller
// budgets. As dynamic tensor rematerialization (Kirisame et al. 2021): evict the value of least recomputation time per
// byte and staleness, among a random sample; here staleness is the distance to the next use, which is known.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/needed_until.hpp>
#include <repebble/detail/run_with_inputs.hpp>
#include <repebble/detail/sort_by.hpp>
#include <repebble/detail/split_mix.hpp>
#include <repebble/planner/detail/model/effort.hpp>
#include <repebble/planner/detail/model/planning_model.hpp>
#include <repebble/planner/detail/model/sequence_loads.hpp>

namespace repebble::inline v0::detail {

/// Runs the model's order within a budget. Where the next operation does not fit, resident values are evicted, and
/// recomputed with their evicted ancestors where they are read. The victim minimizes time of its recomputation, with
/// evicted ancestors, per byte and per operation until its next use in the order.
class eviction_start {
  public:
    eviction_start(planning_model const& m, bytes budget, std::size_t step_limit)
        : m_(m),
          budget_(budget),
          step_limit_(step_limit),
          position_(m.operation_count(), 0),
          needed_until_(needed_until(
              m.value_count(), m.order, [&](auto v) { return m.reads[v]; }, [&](auto v) { return m.writes[v]; },
              [&](auto v, auto) { return m.operations[v].recomputable; })),
          place_(m.value_count(), none),
          pins_(m.value_count(), 0),
          next_reader_(m.value_count(), 0) {
        for (std::size_t k = 0; k < m.order.size(); ++k) position_[m.order[k]] = k;
        std::vector<operation_index> row;
        for (value_index x = 0; x < m.value_count(); ++x) {
            row.assign(m.readers[x].begin(), m.readers[x].end());
            sort_numbers(row, [&](auto const a, auto const b) { return position_[a] < position_[b]; });
            readers_.append(row);
        }
    }

    /// Returns the sequence; nothing where no value can be evicted, where the sequence exceeds the step limit, or where
    /// `stop()` returns true.
    [[nodiscard]] auto play(stop_test stop) -> std::optional<std::vector<operation_index>> {
        for (now_ = 0; now_ < m_.order.size(); ++now_) {
            if (now_ % 256 == 0 && stop()) return std::nullopt;
            for (auto const x : m_.reads[m_.order[now_]]) ++pins_[x];
            bool const ran = run_with_inputs(
                m_.order[now_], pending_, [&](operation_index v) { return m_.reads[v]; },
                [&](value_index x) { return is_resident(x); }, [&](value_index x) { return recomputing(x); },
                [&](operation_index v) { return run(v); });
            if (!ran) return std::nullopt;
        }
        return std::move(operations_);
    }

  private:
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();

    [[nodiscard]] auto is_resident(value_index x) const -> bool { return place_[x] != none; }

    /// The operation that computes x again: of several that came in the order by now, the fastest.
    [[nodiscard]] auto producer_of(value_index x) const -> operation_index {
        auto const all = m_.producers[x];
        auto best = all.front();
        auto const comes = [&](operation_index v) { return m_.operations[v].recomputable && position_[v] < now_; };
        for (auto const v : all.subspan(1))
            if (comes(v) && (!comes(best) || m_.operations[v].time < m_.operations[best].time)) best = v;
        return best;
    }
    /// Returns the operation that recomputes x, its inputs pinned; nothing where it may not run again or where the
    /// sequence gets too long.
    auto recomputing(value_index x) -> std::optional<operation_index> {
        auto const p = producer_of(x);
        if (!m_.operations[p].recomputable && position_[p] < now_) return std::nullopt;
        if (operations_.size() + pending_.size() > step_limit_) return std::nullopt;
        for (auto const y : m_.reads[p]) ++pins_[y];
        return p;
    }
    auto run(operation_index v) -> bool {
        for (auto const x : m_.writes[v])
            if (is_resident(x)) discard(x);
        while (kept_ + m_.operations[v].own > budget_)
            if (!evict_one()) return false;
        if (operations_.size() >= step_limit_) return false;
        operations_.push_back(v);
        for (auto const x : m_.writes[v]) {
            place_[x] = static_cast<std::uint32_t>(resident_.size());
            resident_.push_back(x);
            kept_ += m_.sizes[x];
        }
        for (auto const x : m_.reads[v]) --pins_[x];
        for (auto const x : m_.reads[v])
            if (is_useless(x)) discard(x);
        return true;
    }
    [[nodiscard]] auto is_useless(value_index x) const -> bool {
        return is_resident(x) && needed_until_[x] <= now_ && pins_[x] == 0;
    }
    void discard(value_index x) {
        kept_ -= m_.sizes[x];
        auto const moved = resident_.back();
        resident_[place_[x]] = moved;
        place_[moved] = place_[x];
        resident_.pop_back();
        place_[x] = none;
    }

    auto evict_one() -> bool {
        constexpr auto sample = effort::evicted_sample;
        auto const count = resident_.size();
        auto victim = none;
        double least = 0;
        auto const expand = [&](value_index x) {
            if (pins_[x] > 0 || m_.sizes[x] == 0) return;
            if (needed_until_[x] > now_ && !m_.operations[producer_of(x)].recomputable) return;
            auto const h = eviction_cost(x);
            if (victim != none && h >= least) return;
            least = h;
            victim = x;
        };
        if (count > 2 * sample)
            for (std::size_t k = 0; k < sample; ++k) expand(resident_[random_.below(count)]);
        if (victim == none)
            for (auto const x : resident_) expand(x);
        if (victim == none) return false;
        discard(victim);
        return true;
    }
    [[nodiscard]] auto eviction_cost(value_index x) -> double {
        auto const next = next_read(x);
        if (next == none) return -static_cast<double>(m_.sizes[x]) / (recompute_time(x) + 1);
        return recompute_time(x) / static_cast<double>(m_.sizes[x]) / static_cast<double>(next - now_ + 1);
    }
    /// Returns the position in the order of the next reader; none where there is none.
    [[nodiscard]] auto next_read(value_index x) -> std::size_t {
        auto const readers = readers_[x];
        auto& k = next_reader_[x];
        while (k < readers.size() && position_[readers[k]] < now_) ++k;
        return k < readers.size() ? position_[readers[k]] : none;
    }
    /// Returns the time of recomputing x with the nearest of its evicted ancestors.
    [[nodiscard]] auto recompute_time(value_index x) -> double {
        ancestors_.assign(1, producer_of(x));
        double all = 0;
        for (std::size_t head = 0; head < ancestors_.size(); ++head) {
            all += static_cast<double>(m_.operations[ancestors_[head]].time);
            for (auto const y : m_.reads[ancestors_[head]])
                if (auto const p = producer_of(y); !is_resident(y) && ancestors_.size() < effort::most_ancestors &&
                                                   std::ranges::find(ancestors_, p) == ancestors_.end())
                    ancestors_.push_back(p);
        }
        return all;
    }

    planning_model const& m_;
    bytes budget_, kept_ = 0;
    std::size_t step_limit_, now_ = 0;
    std::vector<std::size_t> position_;      // by operation, in the order
    std::vector<std::size_t> needed_until_;  // by value: no operation can read it after that position
    jagged_array<operation_index> readers_;  // by value: readers in the order
    std::vector<value_index> resident_;
    std::vector<std::uint32_t> place_;      // by value: index among resident_
    std::vector<std::uint32_t> pins_;       // by value: pending operations that read it
    std::vector<std::size_t> next_reader_;  // by value
    std::vector<operation_index> pending_, ancestors_, operations_;
    split_mix random_{1};
};

/// Returns the fastest of a few runs: discarding at the last use leaves slack beneath the budget, so later runs get
/// more than the budget. stop(again) ends the first run (again = false) or later ones.
[[nodiscard]] inline auto best_eviction_start(planning_model const& m, bytes budget, std::size_t step_limit,
                                              function_ref<bool(bool)> stop)
    -> std::optional<std::vector<operation_index>> {
    std::optional<std::vector<operation_index>> best;
    std::int64_t best_time = 0;
    bytes played = budget, beyond = std::numeric_limits<bytes>::max();
    for (int round = 0; round < effort::eviction_rounds; ++round) {
        auto found = eviction_start(m, played, step_limit).play([&] { return stop(round > 0); });
        if (!found) break;
        bytes const peak = std::ranges::max(sequence_loads(m, *found));
        auto const time = sequence_time(m, *found);
        if (peak > budget) {
            beyond = std::min(beyond, played);
            played -= std::max<bytes>(1, peak - budget);
        } else {
            if (!best || time < best_time) {
                best = std::move(found);
                best_time = time;
            }
            auto const slack = budget - peak;
            if (slack < budget / 2000) break;
            played += std::min(slack, beyond - 1 - played);
        }
    }
    return best;
}

}  // namespace repebble::inline v0::detail

#endif
