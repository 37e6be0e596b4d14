#ifndef REPEBBLE_RECOMPUTE_DETAIL_CHAIN_STAGES_TAPE_OPTIONS_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CHAIN_STAGES_TAPE_OPTIONS_HPP

// The tapes of a stage of a chain: sets of values that it may save for its backward pass, from all that its gradients
// read down to none, greedily by recomputation time per byte. Used by graph_as_chain.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <repebble/chains/chain.hpp>
#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/sort_by.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/recompute/detail/chain_stages/stage_memory.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0::detail {

/// Stages in which values are computed and last used; none and 0 for values that are always resident.
struct value_stages {
    std::vector<std::uint32_t> made_in{}, last_in{};
};

/// A tape of a stage, and the operations of its backward pass with it.
struct tape_run {
    stage_tape tape{};
    std::vector<operation_index> backward{};
};

/// Enumerates the tapes of a stage: all values that its gradients read, then fewer and fewer, dropping first those with
/// the least recomputation time per byte.
class tape_options {
  public:
    /// `output`: bytes that cross its end; `gradient`: bytes of their gradients; `gradients`: with those of its input.
    /// From when stop() returns true on, no further tapes.
    tape_options(planning_graph const& graph, value_stages const& stages, stage_memory& runs, std::uint32_t i,
                 std::span<operation_index const> forward, std::span<operation_index const> backward, bytes output,
                 bytes gradient, bytes gradients, stop_test stop)
        : graph_(graph),
          stages_(stages),
          runs_(runs),
          i_(i),
          forward_(forward),
          backward_(backward),
          output_(output),
          gradients_(gradients),
          stop_(stop),
          saved_(graph.flow().value_count()) {
        auto const& flow = graph.flow();
        vertex_set by_gradients(flow.value_count());
        bytes read = 0;
        for (auto const v : backward)
            for (auto const value : flow.reads(v)) {
                by_gradients.insert(value);
                if (!is_forward(value) && stages.made_in[value] > i) arriving_.push_back(value);
            }
        sort_unique(arriving_);
        for (auto const value : arriving_) read += flow.size(value);
        passing_ = gradient - read;
        for (auto const v : forward)
            for (auto const value : flow.writes(v)) {
                if (stages.made_in[value] != i) continue;
                if (stages.last_in[value] > i || (flow.size(value) == 0 && by_gradients.contains(value))) {
                    saved_.insert(value);
                } else if (by_gradients.contains(value)) {
                    kept_.push_back(value);
                }
            }
        for (auto const value : kept_) saved_.insert(value);
    }

    /// Returns at most `limit` tapes, the largest first.
    [[nodiscard]] auto list(std::size_t limit) -> std::vector<tape_run> {
        std::vector<tape_run> all{measure()};
        if (limit < 2) return all;
        constexpr std::size_t few = 24;  // few enough to measure the cost of dropping each
        if (kept_.size() > few) {
            auto const density = [&](value_index value) {
                return static_cast<double>(graph_.flow().time(graph_.flow().producers(value).front())) /
                       static_cast<double>(graph_.flow().size(value));
            };
            sort_by(kept_, [&](auto a, auto b) { return density(a) > density(b); });
        }
        auto const step = std::max<std::size_t>(1, kept_.size() / few);
        while (!kept_.empty() && !stop_()) {
            if (kept_.size() <= few) std::swap(kept_[cheapest(all.back())], kept_.back());
            for (auto left = std::min(step, kept_.size()); left > 0; --left) {
                saved_.erase(kept_.back());
                kept_.pop_back();
            }
            all.push_back(measure());
        }
        return pareto_sample(std::move(all), limit);
    }

  private:
    [[nodiscard]] auto is_forward(value_index value) const -> bool {
        return graph_.number(graph_.flow().producers(value).front()) != graph_.none;
    }
    [[nodiscard]] auto is_made_here(value_index value) const -> bool {
        return stages_.made_in[value] == i_ && is_forward(value);
    }
    /// Returns the operations of the backward pass where only `saved_` is saved.
    [[nodiscard]] auto run() -> std::vector<operation_index> {
        return runs_.with_missing(backward_,
                                  [&](value_index value) { return is_made_here(value) && !saved_.contains(value); });
    }
    [[nodiscard]] auto extra_time(std::span<operation_index const> run) const -> std::int64_t {
        std::int64_t extra{};
        for (auto const v : run)
            if (graph_.number(v) != graph_.none) extra = checked_add(extra, graph_.flow().time(v), "times");
        return extra;
    }
    /// Returns the index in kept_ of the value that adds the least time per byte when dropped.
    [[nodiscard]] auto cheapest(tape_run const& before) -> std::size_t {
        std::size_t best = 0;
        double least = std::numeric_limits<double>::infinity();
        for (std::size_t k = 0; k < kept_.size(); ++k) {
            saved_.erase(kept_[k]);
            auto const more = static_cast<double>(extra_time(run()) - before.tape.extra_time) /
                              static_cast<double>(graph_.flow().size(kept_[k]));
            saved_.insert(kept_[k]);
            if (!(more < least)) continue;
            least = more;
            best = k;
        }
        return best;
    }
    /// Measures the tape of `saved_`.
    [[nodiscard]] auto measure() -> tape_run {
        auto const& flow = graph_.flow();
        tape_run made{{.saved = output_}, run()};
        for (auto const value : kept_) made.tape.saved += flow.size(value);
        made.tape.forward_workspace = runs_.peak(
                                          forward_, {}, [&](value_index value) { return is_made_here(value); },
                                          [&](value_index value) { return saved_.contains(value); }) -
                                      made.tape.saved;
        made.tape.extra_time = extra_time(made.backward);
        auto before = arriving_;
        saved_.for_each([&](std::size_t value) { before.push_back(static_cast<value_index>(value)); });
        auto const peak = runs_.peak(
            made.backward, before, [&](value_index value) { return is_made_here(value) || is_gradient(value); },
            [&](value_index value) { return is_gradient(value) && stages_.last_in[value] < i_; });
        made.tape.backward_workspace = peak + passing_ - made.tape.saved - gradients_;
        return made;
    }
    [[nodiscard]] auto is_gradient(value_index value) const -> bool {
        return !is_forward(value) && stages_.made_in[value] != planning_graph::none;
    }
    /// Returns the tapes that no other dominates; of too many the first, the last, and evenly spaced ones between.
    [[nodiscard]] static auto pareto_sample(std::vector<tape_run> all, std::size_t limit) -> std::vector<tape_run> {
        auto const better = [](stage_tape const& a, stage_tape const& b) {
            return a.saved <= b.saved && a.extra_time <= b.extra_time &&
                   a.saved + a.forward_workspace <= b.saved + b.forward_workspace &&
                   a.saved + a.backward_workspace <= b.saved + b.backward_workspace;
        };
        std::vector<tape_run> useful, few;
        for (std::size_t k = 0; k < all.size(); ++k) {
            bool useless = false;
            for (std::size_t other = 0; other < all.size() && !useless; ++other)
                useless = other != k && better(all[other].tape, all[k].tape) &&
                          (other < k || !better(all[k].tape, all[other].tape));
            if (!useless) useful.push_back(all[k]);
        }
        auto const count = std::min(useful.size(), limit);
        for (std::size_t k = 0; k < count; ++k)
            few.push_back(std::move(useful[count == 1 ? 0 : k * (useful.size() - 1) / (count - 1)]));
        return few;
    }

    planning_graph const& graph_;
    value_stages const& stages_;
    stage_memory& runs_;
    std::uint32_t i_;
    std::span<operation_index const> forward_, backward_;
    bytes output_, gradients_;
    stop_test stop_;
    bytes passing_ = 0;                  ///< gradients from later stages for earlier ones
    std::vector<value_index> arriving_;  ///< gradients from later stages for this one
    std::vector<value_index> kept_;      ///< saved values that only its own gradients read
    vertex_set saved_;                   ///< all saved values
};

}  // namespace repebble::inline v0::detail

#endif
