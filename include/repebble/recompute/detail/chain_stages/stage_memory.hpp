#ifndef REPEBBLE_RECOMPUTE_DETAIL_CHAIN_STAGES_STAGE_MEMORY_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CHAIN_STAGES_STAGE_MEMORY_HPP

// Peak memory of a run of operations by itself, and the closure of missing inputs: the two measurements from which
// graph_as_chain and tape_options make the stages of a chain. Arrays are reused by stamps instead of being cleared.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <repebble/detail/run_with_inputs.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// Measures runs of operations of one stage. Requires that each value is computed at most once in a run.
class stage_memory {
  public:
    explicit stage_memory(dataflow const& flow)
        : flow_(flow),
          last_use_(flow.value_count()),
          seen_(flow.value_count(), 0),
          resident_in_(flow.value_count(), 0) {}

    /// Returns the peak during `run` of values for which counts(value). `before` are resident at the beginning; a value
    /// is discarded after its last reader, unless stays(value).
    template <class Counts, class Stays>
    [[nodiscard]] auto peak(std::span<operation_index const> run, std::span<value_index const> before,
                            Counts const& counts, Stays const& stays) -> bytes {
        ++stamp_;
        for (auto const value : before) touch(value, 0);
        for (std::size_t at = 0; at < run.size(); ++at) {
            for (auto const value : flow_.reads(run[at])) touch(value, at);
            for (auto const value : flow_.writes(run[at])) touch(value, at);
        }
        bytes now = 0, peak = 0;
        auto const arrive = [&](value_index value) {
            if (resident_in_[value] == stamp_ || !counts(value)) return;
            resident_in_[value] = stamp_;
            now += flow_.size(value);
        };
        auto const leave = [&](value_index value, std::size_t at) {
            if (resident_in_[value] != stamp_ || last_use_[value] != at || stays(value)) return;
            resident_in_[value] = 0;
            now -= flow_.size(value);
        };
        for (auto const value : before) arrive(value);
        peak = now;
        for (std::size_t at = 0; at < run.size(); ++at) {
            for (auto const value : flow_.writes(run[at])) arrive(value);
            peak = std::max(peak, now + flow_.workspace(run[at]));
            for (auto const value : flow_.reads(run[at])) leave(value, at);
            for (auto const value : flow_.writes(run[at])) leave(value, at);
        }
        return peak;
    }

    /// Returns `run` with the recomputations that its operations need inserted before them: of values for which
    /// missing(value) and that are not resident yet.
    template <class Missing>
    [[nodiscard]] auto with_missing(std::span<operation_index const> run, Missing const& missing)
        -> std::vector<operation_index> {
        ++stamp_;
        std::vector<operation_index> all, pending;
        for (auto const v : run)
            static_cast<void>(run_with_inputs(
                v, flow_.operation_count(), pending, [&](operation_index w) { return flow_.reads(w); },
                [&](value_index x) { return resident_in_[x] == stamp_ || !missing(x); },
                [&](value_index x) { return flow_.producers(x).front(); },
                [&](operation_index w) {
                    for (auto const x : flow_.writes(w)) resident_in_[x] = stamp_;
                    all.push_back(w);
                    return true;
                }));
        return all;
    }

  private:
    void touch(value_index value, std::size_t at) {
        if (seen_[value] != stamp_) {
            seen_[value] = stamp_;
            last_use_[value] = at;
        }
        last_use_[value] = std::max(last_use_[value], at);
    }

    dataflow const& flow_;
    std::vector<std::size_t> last_use_;              // per value
    std::vector<std::uint32_t> seen_, resident_in_;  // per value: stamp of the run
    std::uint32_t stamp_ = 0;
};

}  // namespace repebble::inline v0::detail

#endif
