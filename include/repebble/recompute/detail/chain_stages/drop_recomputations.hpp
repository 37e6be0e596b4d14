#ifndef REPEBBLE_RECOMPUTE_DETAIL_CHAIN_STAGES_DROP_RECOMPUTATIONS_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CHAIN_STAGES_DROP_RECOMPUTATIONS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0::detail {

/// A sequence of computations without those of which nothing is used. `is_needed(v)`: v has to run once at least.
template <quantity Time, class IsNeeded>
[[nodiscard]] auto without_unused(dataflow<Time> const& flow, std::span<operation_index const> all,
                                  IsNeeded const& is_needed) -> std::vector<operation_index> {
    std::vector<operation_index> used;
    vertex_set wanted(flow.value_count()), ran(flow.operation_count());
    for (auto const v : std::views::reverse(all)) {
        bool reads = is_needed(v) && !ran.contains(v);
        for (auto const value : flow.writes(v)) reads = reads || wanted.contains(value);
        if (!reads) continue;
        ran.insert(v);
        for (auto const value : flow.writes(v)) wanted.erase(value);
        for (auto const value : flow.reads(v)) wanted.insert(value);
        used.push_back(v);
    }
    std::ranges::reverse(used);
    return used;
}

/// Leaves computations out of a sequence whose results may as well stay since they were there last: where bytes are
/// left all the time in between. Those that save most time per byte come first.
template <quantity Time>
class drop_recomputations {
  public:
    drop_recomputations(dataflow<Time> const& flow, bytes budget) : flow_(flow), budget_(budget) {}

    /// O(rounds · n · the longest time between), with few rounds.
    [[nodiscard]] auto left_out_of(std::vector<operation_index> sequence) -> std::vector<operation_index> {
        constexpr int most_rounds = 4;
        for (int round = 0; round < most_rounds; ++round) {
            measure(sequence);
            std::vector<std::uint32_t> again;
            vertex_set ran(flow_.operation_count());
            for (std::uint32_t at = 0; at < sequence.size(); ++at) {
                if (ran.contains(sequence[at]) && !flow_.writes(sequence[at]).empty()) again.push_back(at);
                ran.insert(sequence[at]);
            }
            std::ranges::stable_sort(again, std::ranges::greater{}, [&](auto at) { return worth(sequence[at]); });
            std::vector<bool> spared(sequence.size(), false);
            bool any = false;
            for (auto const at : again)
                if (may_stay(sequence[at], at)) {
                    stay(sequence[at], at);
                    spared[at] = any = true;
                }
            if (!any) break;
            std::vector<operation_index> rest;
            for (std::size_t at = 0; at < sequence.size(); ++at)
                if (!spared[at]) rest.push_back(sequence[at]);
            sequence = without_unused<Time>(flow_, rest, [&](auto v) { return flow_.is_sink(v); });
        }
        return sequence;
    }

  private:
    /// A time that a value is there: from its computation to what reads it last before the next.
    struct stay_of_value {
        std::uint32_t begin = 0, end = 0;
    };

    void measure(std::span<operation_index const> sequence) {
        stays_.assign(flow_.value_count(), {});
        load_.assign(sequence.size() + 1, 0);
        for (std::uint32_t at = 0; at < sequence.size(); ++at) {
            for (auto const value : flow_.reads(sequence[at]))
                if (!stays_[value].empty()) stays_[value].back().end = at;
            for (auto const value : flow_.writes(sequence[at])) stays_[value].push_back({at, at});
        }
        for (value_index value = 0; value < flow_.value_count(); ++value)
            for (auto const [begin, end] : stays_[value]) {
                load_[begin] += flow_.size(value);
                load_[end + 1] -= flow_.size(value);
            }
        bytes now = 0;
        for (std::size_t at = 0; at < sequence.size(); ++at) {
            now += load_[at];
            load_[at] = now + flow_.workspace(sequence[at]);
        }
    }
    [[nodiscard]] auto worth(operation_index v) const -> double {
        bytes size = 0;
        for (auto const value : flow_.writes(v)) size += flow_.size(value);
        if (size == 0) return std::numeric_limits<double>::infinity();
        return static_cast<double>(flow_.time(v)) / static_cast<double>(size);
    }
    /// The stay of a value that ends before its computation at `at`: the number of that which begins there.
    [[nodiscard]] auto number_of(value_index value, std::uint32_t at) const -> std::size_t {
        auto const found = std::ranges::lower_bound(stays_[value], at, {}, &stay_of_value::begin);
        return static_cast<std::size_t>(found - stays_[value].begin());
    }
    [[nodiscard]] auto may_stay(operation_index v, std::uint32_t at) -> bool {
        bytes more = 0;
        std::uint32_t first = at;
        for (auto const value : flow_.writes(v)) {
            auto const k = number_of(value, at);
            if (k == 0) return false;
            first = std::min(first, stays_[value][k - 1].end);
            more += flow_.size(value);
        }
        for (auto p = first + 1; p < at; ++p)
            if (load_[p] + more > budget_) return false;
        return true;
    }
    void stay(operation_index v, std::uint32_t at) {
        for (auto const value : flow_.writes(v)) {
            auto const k = number_of(value, at);
            auto& before = stays_[value][k - 1];
            for (auto p = before.end + 1; p < at; ++p) load_[p] += flow_.size(value);
            before.end = stays_[value][k].end;
            stays_[value].erase(stays_[value].begin() + static_cast<std::ptrdiff_t>(k));
        }
    }

    dataflow<Time> const& flow_;
    bytes budget_;
    std::vector<std::vector<stay_of_value>> stays_;  // of every value
    std::vector<bytes> load_;                        // of every step
};

}  // namespace repebble::inline v0::detail

#endif
