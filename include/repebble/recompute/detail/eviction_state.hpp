#ifndef REPEBBLE_RECOMPUTE_DETAIL_EVICTION_STATE_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_EVICTION_STATE_HPP

// The simulation of greedy_eviction: resident values, recency, locks, and the score of Dynamic tensor rematerialization
// (Kirisame et al. 2021) with its evicted neighbourhood. One object is one run at one budget. The score is the paper's:
// it looks at all resident values, and at the past only; `eviction_start` of the planner looks at a sample, and ahead.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/jagged_array.hpp>
#include <repebble/detail/needed_until.hpp>
#include <repebble/detail/run_with_inputs.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/recompute/detail/recomputing_operations.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0::detail {

/// One run of `greedy_eviction` within a budget. Values that the rest of the order does not read are discarded at once.
/// A view that was not contracted is evicted with the values that it aliases.
class eviction_state {
  public:
    /// Refers to the graph, which must outlive it.
    eviction_state(planning_graph const& graph, bytes budget, std::size_t step_limit)
        : flow_(graph.flow()),
          budget_(budget),
          step_limit_(step_limit),
          recomputed_by_(recomputing_operations(graph)),
          resident_(flow_.value_count()),
          evicted_(flow_.value_count()),
          locks_(flow_.value_count(), 0),
          resident_users_(flow_.value_count(), 0),
          last_use_(flow_.value_count(), std::int64_t{}),
          views_(flow_.value_count()),
          seen_(flow_.value_count()) {
        auto const reads = [&](operation_index v) { return flow_.reads(v); };
        auto const writes = [&](operation_index v) { return flow_.writes(v); };
        auto const until = [&](auto const& recomputes_until) {
            return needed_until(flow_.value_count(), flow_.order(), reads, writes, recomputes_until);
        };
        auto const end = flow_.operation_count();
        needed_until_ = until([&](operation_index v, value_index x) { return recomputed_by_[x] == v ? end : 0; });
        last_reader_ = until([](operation_index, value_index) { return std::size_t{0}; });
        std::vector<std::pair<std::size_t, value_index>> ends;
        for (value_index x = 0; x < flow_.value_count(); ++x) {
            if (flow_.is_view(x))
                for (auto const owner : flow_.owners(x)) views_[owner].push_back(x);
            for (auto const at : {needed_until_[x], last_reader_[x]})
                if (at < end) ends.emplace_back(at, x);
        }
        ends_at_ = {end, ends};
    }

    /// Returns the computations, or nothing where no victim is left, the step limit is reached, or stop() returns
    /// true, which is asked before each eviction and, from the first on, before each operation of the order.
    [[nodiscard]] auto play(stop_test stop) -> std::optional<std::vector<operation_index>> {
        auto const order = flow_.order();
        auto const is_resident = [&](value_index x) { return resident_.contains(x); };
        auto const lock_inputs = [&](std::optional<operation_index> v) {
            if (v)
                for (auto const x : flow_.reads(*v)) ++locks_[x];
            return v;
        };
        std::vector<operation_index> pending;
        for (std::size_t k = 0; k < order.size(); ++k) {
            if (has_evicted_ && stop()) return {};
            discard_unread(k);
            lock_inputs(order[k]);
            bool const ran = run_with_inputs(
                order[k], flow_.operation_count(), pending, [&](operation_index v) { return flow_.reads(v); },
                is_resident, [&](value_index x) { return lock_inputs(recomputed_by_[x]); },
                [&](operation_index v) { return compute(v, stop); });
            if (!ran) return {};
        }
        return std::move(computations_);
    }

  private:
    /// Discards values that have no reader from position k on. Those that can be recomputed are evicted; the others
    /// stay while a recomputation may read them. Looks only at what has ended, become resident or lost a view since the
    /// last call.
    void discard_unread(std::size_t k) {
        auto asked = std::exchange(changed_, {});
        if (k > 0) asked.insert(asked.end(), ends_at_[k - 1].begin(), ends_at_[k - 1].end());
        sort_unique(asked);
        auto const is_resident = [&](value_index x) { return resident_.contains(x); };
        std::erase_if(asked, [&](value_index x) { return !is_resident(x); });
        for (auto const x : asked)
            if (needed_until_[x] < k) drop(x);
        for (auto const x : asked)
            if (is_resident(x) && last_reader_[x] < k && recomputed_by_[x] &&
                std::ranges::none_of(views_[x], is_resident))
                evict(x);
    }

    auto compute(operation_index v, stop_test stop) -> bool {
        bytes needed = flow_.workspace(v);
        for (auto const x : flow_.writes(v)) needed += flow_.size(x);
        while (resident_bytes_ + needed > budget_)
            if (stop() || !evict_one()) return false;
        if (computations_.size() == step_limit_) return false;
        computations_.push_back(v);
        now_ = checked_add(now_, flow_.time(v), "times of a schedule");
        for (auto const x : flow_.reads(v)) {
            --locks_[x];
            last_use_[x] = now_;
        }
        for (auto const x : flow_.writes(v)) {
            last_use_[x] = now_;
            evicted_.erase(x);
            if (resident_.contains(x)) continue;
            resident_.insert(x);
            changed_.push_back(x);
            for (auto const owner : flow_.owners(x))
                if (resident_users_[owner]++ == 0) resident_bytes_ += flow_.size(owner);
        }
        return true;
    }
    void drop(value_index x) {
        resident_.erase(x);
        for (auto const owner : flow_.owners(x)) {
            if (--resident_users_[owner] == 0) resident_bytes_ -= flow_.size(owner);
            if (owner != x) changed_.push_back(owner);
        }
    }

    auto evict_one() -> bool {
        std::optional<std::pair<double, double>> least;
        value_index victim = no_value;
        resident_.for_each([&](std::size_t i) {
            auto const x = static_cast<value_index>(i);
            if (flow_.size(x) == 0 || !may_evict(x)) return;
            auto const cost = static_cast<double>(cost_of(x)) / static_cast<double>(flow_.size(x));
            auto const staleness = static_cast<double>(now_ - last_use_[x]);
            constexpr auto fresh = std::numeric_limits<double>::infinity();
            std::pair const h{cost > 0 ? (staleness > 0 ? cost / staleness : fresh) : 0.0, cost};
            if (least && *least <= h) return;
            least = h;
            victim = x;
        });
        if (victim == no_value) return false;
        has_evicted_ = true;
        for (auto const view : views_[victim])
            if (resident_.contains(view)) evict(view);
        evict(victim);
        return true;
    }
    void evict(value_index x) {
        drop(x);
        evicted_.insert(x);
    }
    [[nodiscard]] auto may_evict(value_index x) const -> bool {
        auto const free = [&](value_index y) {
            return !resident_.contains(y) || (locks_[y] == 0 && recomputed_by_[y]);
        };
        return free(x) && std::ranges::all_of(views_[x], free);
    }

    /// Time to recompute x with its evicted neighbourhood: the evicted ancestors and descendants that paths of evicted
    /// values connect to x.
    [[nodiscard]] auto cost_of(value_index x) -> std::int64_t {
        std::int64_t sum = flow_.time(*recomputed_by_[x]);
        for (bool const upwards : {true, false}) {
            found_.assign(1, x);
            for (std::size_t k = 0; k < found_.size(); ++k) {
                auto const y = found_[k];
                auto const visit = [&](value_index z) {
                    if (!evicted_.contains(z) || seen_.contains(z)) return;
                    seen_.insert(z);
                    found_.push_back(z);
                    sum += flow_.time(*recomputed_by_[z]);
                };
                if (upwards) {
                    for (auto const z : flow_.reads(*recomputed_by_[y])) visit(z);
                } else {
                    for (auto const v : flow_.readers(y))
                        for (auto const z : flow_.writes(v)) visit(z);
                }
            }
            for (auto const z : found_) seen_.erase(z);
        }
        return sum;
    }

    dataflow const& flow_;
    bytes budget_;
    std::size_t step_limit_;
    std::vector<std::optional<operation_index>> recomputed_by_;
    std::vector<std::size_t> needed_until_, last_reader_;  // per value: positions in the order
    vertex_set resident_, evicted_;
    std::vector<std::uint32_t> locks_;           // per value: pending operations that read it
    std::vector<std::uint32_t> resident_users_;  // per value: resident values in its storage
    std::vector<std::int64_t> last_use_;
    std::vector<std::vector<value_index>> views_;  // per value: its views
    vertex_set seen_;
    std::vector<value_index> found_;
    jagged_array<value_index> ends_at_;  // by position: the values that end there
    std::vector<value_index> changed_;   // what `discard_unread` looks at next
    std::vector<operation_index> computations_;
    bytes resident_bytes_ = 0;
    std::int64_t now_{};
    bool has_evicted_ = false;
};

}  // namespace repebble::inline v0::detail

#endif
