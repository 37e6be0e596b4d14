#ifndef REPEBBLE_RECOMPUTE_DETAIL_CHAIN_STAGES_DROP_RECOMPUTATIONS_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CHAIN_STAGES_DROP_RECOMPUTATIONS_HPP

// Post-optimisation of a sequence of computations: drops recomputations whose results can stay resident within the
// budget, by time per byte. Used by chain_plan, whose chain counts some values twice and so leaves memory unused.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/detail/sort_by.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0::detail {

/// Returns the sequence without computations whose results have no reader. `is_needed(v)`: v has to run at least once.
/// Where stop() returns true, those before the ones that were looked at, from the last on, stay.
template <class IsNeeded, class Stop = never_stop>
[[nodiscard]] auto without_unused(dataflow const& flow, std::span<operation_index const> all, IsNeeded const& is_needed,
                                  Stop const& stop = {}) -> std::vector<operation_index> {
    constexpr std::size_t often = 1U << 16U;  // computations between two questions
    std::size_t seen = 0;
    bool is_over = false;
    std::vector<operation_index> used;
    vertex_set has_reader(flow.value_count()), computed(flow.operation_count());
    for (auto const v : std::views::reverse(all)) {
        is_over = is_over || (++seen % often == 0 && stop());
        bool reads = is_over || (is_needed(v) && !computed.contains(v));
        for (auto const value : flow.writes(v)) reads = reads || has_reader.contains(value);
        if (!reads) continue;
        computed.insert(v);
        for (auto const value : flow.writes(v)) has_reader.erase(value);
        for (auto const value : flow.reads(v)) has_reader.insert(value);
        used.push_back(v);
    }
    std::ranges::reverse(used);
    return used;
}

/// Drops recomputations whose results can instead stay resident since their last use: where the budget has the bytes
/// during the whole gap. In descending order of time per byte.
class drop_recomputations {
  public:
    drop_recomputations(dataflow const& flow, bytes budget) : flow_(flow), budget_(budget) {}

    /// Returns the shortened sequence; from when stop() returns true on, nothing more is dropped. O(rounds · n ·
    /// longest gap), at most four rounds.
    [[nodiscard]] auto dropped_from(std::vector<operation_index> sequence, stop_test stop = never_stop{})
        -> std::vector<operation_index> {
        constexpr int most_rounds = 4;
        for (int round = 0; round < most_rounds && !stop(); ++round) {
            measure(sequence);
            std::vector<std::uint32_t> again;
            vertex_set computed(flow_.operation_count());
            for (std::uint32_t at = 0; at < sequence.size(); ++at) {
                if (computed.contains(sequence[at]) && !flow_.writes(sequence[at]).empty()) again.push_back(at);
                computed.insert(sequence[at]);
            }
            sort_numbers(again,
                         [&](auto a, auto b) { return time_per_byte(sequence[a]) > time_per_byte(sequence[b]); });
            std::vector<bool> dropped(sequence.size(), false);
            bool any = false;
            for (auto const at : again)
                if (!stop() && can_stay(sequence[at], at)) {
                    extend_range(sequence[at], at);
                    dropped[at] = any = true;
                }
            if (!any) break;
            std::vector<operation_index> rest;
            for (std::size_t at = 0; at < sequence.size(); ++at)
                if (!dropped[at]) rest.push_back(sequence[at]);
            sequence = without_unused(flow_, rest, [&](auto v) { return flow_.is_sink(v); });
        }
        return sequence;
    }

  private:
    /// Live range of a value: from a computation to its last reader before the next computation.
    struct live_range {
        std::uint32_t begin = 0, end = 0;
    };

    void measure(std::span<operation_index const> sequence) {
        ranges_.assign(flow_.value_count(), {});
        load_.assign(sequence.size() + 1, 0);
        for (std::uint32_t at = 0; at < sequence.size(); ++at) {
            for (auto const value : flow_.reads(sequence[at]))
                if (!ranges_[value].empty()) ranges_[value].back().end = at;
            for (auto const value : flow_.writes(sequence[at])) ranges_[value].push_back({at, at});
        }
        for (value_index value = 0; value < flow_.value_count(); ++value)
            for (auto const [begin, end] : ranges_[value]) {
                load_[begin] += flow_.size(value);
                load_[end + 1] -= flow_.size(value);
            }
        bytes now = 0;
        for (std::size_t at = 0; at < sequence.size(); ++at) {
            now += load_[at];
            load_[at] = now + flow_.workspace(sequence[at]);
        }
    }
    [[nodiscard]] auto time_per_byte(operation_index v) const -> double {
        bytes size = 0;
        for (auto const value : flow_.writes(v)) size += flow_.size(value);
        if (size == 0) return std::numeric_limits<double>::infinity();
        return static_cast<double>(flow_.time(v)) / static_cast<double>(size);
    }
    /// Index of the live range of a value that begins at `at`.
    [[nodiscard]] auto range_at(value_index value, std::uint32_t at) const -> std::size_t {
        auto const found = std::ranges::lower_bound(ranges_[value], at, {}, &live_range::begin);
        return static_cast<std::size_t>(found - ranges_[value].begin());
    }
    [[nodiscard]] auto can_stay(operation_index v, std::uint32_t at) -> bool {
        bytes more = 0;
        std::uint32_t first = at;
        for (auto const value : flow_.writes(v)) {
            auto const k = range_at(value, at);
            if (k == 0) return false;
            first = std::min(first, ranges_[value][k - 1].end);
            more += flow_.size(value);
        }
        for (auto p = first + 1; p < at; ++p)
            if (load_[p] + more > budget_) return false;
        return true;
    }
    void extend_range(operation_index v, std::uint32_t at) {
        for (auto const value : flow_.writes(v)) {
            auto const k = range_at(value, at);
            auto& before = ranges_[value][k - 1];
            for (auto p = before.end + 1; p < at; ++p) load_[p] += flow_.size(value);
            before.end = ranges_[value][k].end;
            ranges_[value].erase(ranges_[value].begin() + static_cast<std::ptrdiff_t>(k));
        }
    }

    dataflow const& flow_;
    bytes budget_;
    std::vector<std::vector<live_range>> ranges_;  // per value
    std::vector<bytes> load_;                      // per step: bytes resident and workspace
};

}  // namespace repebble::inline v0::detail

#endif
