#ifndef REPEBBLE_RECOMPUTE_DETAIL_CHAIN_STAGES_STAGE_MEMORY_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CHAIN_STAGES_STAGE_MEMORY_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// Where in a sequence of computations values are read last, and how many bytes are there at most: what a stage of a
/// chain needs when it runs by itself. Each value is computed at most once.
template <quantity Time>
class stage_memory {
  public:
    explicit stage_memory(dataflow<Time> const& flow)
        : flow_(flow), last_(flow.value_count()), seen_(flow.value_count(), 0), there_(flow.value_count(), 0) {}

    /// The most bytes during `run`, of values for which counts(value). `before` are there when it begins; what is not
    /// read again goes, but for values for which stays(value).
    template <class Counts, class Stays>
    [[nodiscard]] auto peak(std::span<operation_index const> run, std::span<value_index const> before,
                            Counts const& counts, Stays const& stays) -> bytes {
        ++stamp_;
        for (auto const value : before) touch(value, 0);
        for (std::size_t at = 0; at < run.size(); ++at) {
            for (auto const value : flow_.reads(run[at])) touch(value, at);
            for (auto const value : flow_.writes(run[at])) touch(value, at);
        }
        bytes now = 0, most = 0;
        auto const arrive = [&](value_index value) {
            if (there_[value] == stamp_ || !counts(value)) return;
            there_[value] = stamp_;
            now += flow_.size(value);
        };
        auto const leave = [&](value_index value, std::size_t at) {
            if (there_[value] != stamp_ || last_[value] != at || stays(value)) return;
            there_[value] = 0;
            now -= flow_.size(value);
        };
        for (auto const value : before) arrive(value);
        most = now;
        for (std::size_t at = 0; at < run.size(); ++at) {
            for (auto const value : flow_.writes(run[at])) arrive(value);
            most = std::max(most, now + flow_.workspace(run[at]));
            for (auto const value : flow_.reads(run[at])) leave(value, at);
            for (auto const value : flow_.writes(run[at])) leave(value, at);
        }
        return most;
    }

    /// `run`, and before each of its operations what computes the values that it reads and that is not there: of those
    /// for which missing(value).
    template <class Missing>
    [[nodiscard]] auto with_missing(std::span<operation_index const> run, Missing const& missing)
        -> std::vector<operation_index> {
        ++stamp_;
        std::vector<operation_index> all, wanted;
        for (auto const v : run) {
            wanted.assign(1, v);
            while (!wanted.empty()) {
                auto const w = wanted.back();
                auto const depth = wanted.size();
                for (auto const value : flow_.reads(w))
                    if (missing(value) && there_[value] != stamp_) wanted.push_back(flow_.producers(value).front());
                if (wanted.size() > depth) continue;
                wanted.pop_back();
                bool const is_there = std::ranges::all_of(flow_.writes(w), [&](auto x) { return there_[x] == stamp_; });
                if (!wanted.empty() && is_there) continue;  // wanted twice
                for (auto const value : flow_.writes(w)) there_[value] = stamp_;
                all.push_back(w);
            }
        }
        return all;
    }

  private:
    void touch(value_index value, std::size_t at) {
        if (seen_[value] != stamp_) {
            seen_[value] = stamp_;
            last_[value] = at;
        }
        last_[value] = std::max(last_[value], at);
    }

    dataflow<Time> const& flow_;
    std::vector<std::size_t> last_;            // of every value
    std::vector<std::uint32_t> seen_, there_;  // of every value: in which run
    std::uint32_t stamp_ = 0;
};

}  // namespace repebble::inline v0::detail

#endif
