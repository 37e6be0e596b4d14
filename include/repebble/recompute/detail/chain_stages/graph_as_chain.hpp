#ifndef REPEBBLE_RECOMPUTE_DETAIL_CHAIN_STAGES_GRAPH_AS_CHAIN_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_CHAIN_STAGES_GRAPH_AS_CHAIN_HPP

// The reduction from a training graph to a chain of stages, and back from the actions of the chain to computations.
// Conservative: a value that crosses several cuts is counted at each, so plans are replayed afterwards.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <repebble/chains/chain.hpp>
#include <repebble/chains/chain_action.hpp>
#include <repebble/detail/function_ref.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/recompute/detail/chain_stages/drop_recomputations.hpp>
#include <repebble/recompute/detail/chain_stages/stage_memory.hpp>
#include <repebble/recompute/detail/chain_stages/tape_options.hpp>
#include <repebble/recompute/detail/segmented_operations.hpp>
#include <repebble/recompute/detail/segments/crossing_values.hpp>
#include <repebble/recompute/plan_mirrors.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/segment_cuts.hpp>

namespace repebble::inline v0::detail {

/// Returns the positions in the order at which stages may end: cuts whose crossing values gradients read. At any other
/// cut the input of the next stage would be kept without a reader, and a later cut is as good.
[[nodiscard]] inline auto stage_ends(planning_graph const& graph, std::span<std::uint32_t const> order,
                                     std::span<segment_cut const> cuts) -> std::vector<std::size_t> {
    auto const is_of_use = [&](std::uint32_t f) {
        return std::ranges::any_of(graph.flow().writes(graph.forward(f)), [&](auto value) {
            return std::ranges::any_of(graph.flow().readers(value),
                                       [&](auto v) { return graph.number(v) == graph.none; });
        });
    };
    std::vector<std::size_t> ends;
    for (auto const& cut : cuts)
        if (cut.position + 1 < order.size() && (ends.empty() || ends.back() != cut.position) &&
            std::ranges::any_of(cut.kept, is_of_use))
            ends.push_back(cut.position);
    return ends;
}

/// The same where every position is a cut: at the places where no more bytes cross than beside them.
[[nodiscard]] inline auto stage_ends(planning_graph const& graph, std::span<std::uint32_t const> order,
                                     segment_candidates const& candidates) -> std::vector<std::size_t> {
    if (!are_everywhere(graph, order, candidates)) return stage_ends(graph, order, cuts_of(graph, order, candidates));
    return crossing_values(graph, order).low_places();
}

/// A training graph as a chain: its forward pass, in an order, is cut into stages; the values that cross a cut are the
/// output of the stage before it. Values that may not be computed twice are always resident and not part of the chain.
class graph_as_chain {
  public:
    /// Refers to the graph and to what `stop` refers to. Stages end at every `every`-th of `ends` and have at most
    /// `tapes` tapes, at least one. From when stop() returns true on, stages have no tapes, and the chain is of no use.
    graph_as_chain(planning_graph const& graph, std::span<std::uint32_t const> order, std::span<std::size_t const> ends,
                   std::size_t every, std::size_t tapes, stop_test stop)
        : graph_(graph), stop_(stop), operations_(graph, sequence_of_stages(order, ends, every)) {
        auto const n = operations_.forward.size();
        chain_.stages.resize(n);
        backward_.resize(n);
        stage_memory runs(graph.flow());
        auto const stages = cross();
        for (std::uint32_t i = 0; i < n && !stop(); ++i) make_stage(i, stages, runs, tapes);
    }

    [[nodiscard]] auto model() const noexcept -> chain const& { return chain_; }
    /// Bytes of the values that are always resident, in addition to those of the chain.
    [[nodiscard]] auto always_resident() const noexcept -> bytes { return always_; }

    /// Converts actions of the chain to computations of the planning graph, without those whose results have no reader.
    [[nodiscard]] auto computations(chain_actions const& actions) const -> std::vector<operation_index> {
        std::vector<operation_index> all;
        std::vector<bool> ran(graph_.flow().operation_count(), false);
        for (auto const& a : actions) {
            if (a.what == chain_action::kind::backward) {
                auto const& run = backward_[a.stage][a.tape];
                all.insert(all.end(), run.begin(), run.end());
                continue;
            }
            for (auto const v : operations_.forward[a.stage]) {
                if (ran[v] && is_fixed(v)) continue;
                ran[v] = true;
                all.push_back(v);
            }
        }
        return without_unused(graph_.flow(), all, [&](auto v) { return graph_.flow().is_sink(v); });
    }

  private:
    [[nodiscard]] static auto sequence_of_stages(std::span<std::uint32_t const> order,
                                                 std::span<std::size_t const> ends, std::size_t every)
        -> lower_set_sequence {
        lower_set_sequence sequence{std::vector<std::uint32_t>(order.size(), 0), order.empty() ? 0U : 1U};
        auto next = every - 1;
        for (std::size_t at = 0; at < order.size(); ++at) {
            sequence.segment[order[at]] = static_cast<std::uint32_t>(sequence.count - 1);
            if (next >= ends.size() || ends[next] != at) continue;
            ++sequence.count;
            next += every;
        }
        return sequence;
    }
    [[nodiscard]] auto is_fixed(operation_index v) const -> bool {
        return graph_.number(v) != graph_.none && graph_.problem().pinned.contains(graph_.number(v));
    }

    /// Computes the stages in which values are computed and last used, and the bytes that cross each cut.
    [[nodiscard]] auto cross() -> value_stages {
        auto const& flow = graph_.flow();
        auto const n = chain_.stages.size();
        value_stages stages{std::vector<std::uint32_t>(flow.value_count(), graph_.none),
                            std::vector<std::uint32_t>(flow.value_count(), 0)};
        std::vector<bytes> forward(n + 2, 0), backward(n + 2, 0);  // changes, by stage
        for (value_index value = 0; value < flow.value_count(); ++value) {
            auto const producer = flow.producers(value).front();
            auto const size = flow.size(value);
            if (is_fixed(producer)) {
                always_ = checked_add(always_, size);
                continue;
            }
            auto const made = operations_.segment[producer];
            auto last = made;
            bool const is_forward = graph_.number(producer) != graph_.none;
            for (auto const v : flow.readers(value)) {
                auto const s = operations_.segment[v];
                last = is_forward ? std::max(last, s) : std::min(last, s);
            }
            stages.made_in[value] = made;
            stages.last_in[value] = last;
            auto& change = is_forward ? forward : backward;
            auto const [first, end] = std::minmax(made, last);
            change[first + 1] = checked_add(change[first + 1], size);
            change[end + 1] -= size;
        }
        bytes output = 0, gradient = 0;
        for (std::size_t i = 0; i < n; ++i) {
            chain_.stages[i].output = output = checked_add(output, forward[i + 1]);
            chain_.stages[i].gradient = gradient = checked_add(gradient, backward[i + 1]);
        }
        return stages;
    }

    void make_stage(std::uint32_t i, value_stages const& stages, stage_memory& runs, std::size_t tapes) {
        auto const& flow = graph_.flow();
        auto& stage = chain_.stages[i];
        auto const& forward = operations_.forward[i];
        auto const& backward = operations_.backward[i];
        for (auto const v : forward)
            if (!is_fixed(v)) stage.forward_time = checked_add(stage.forward_time, flow.time(v), "times");
        for (auto const v : backward) stage.backward_time = checked_add(stage.backward_time, flow.time(v), "times");
        stage.workspace = runs.peak(
                              forward, {}, [&](value_index value) { return stages.made_in[value] == i; },
                              [&](value_index value) { return stages.last_in[value] > i; }) -
                          stage.output;
        auto const gradients = stage.gradient + (i == 0 ? 0 : chain_.stages[i - 1].gradient);
        tape_options options(graph_, stages, runs, i, forward, backward, stage.output, stage.gradient, gradients,
                             stop_);
        for (auto& option : options.list(tapes)) {
            stage.tapes.push_back(option.tape);
            backward_[i].push_back(std::move(option.backward));
        }
    }

    planning_graph const& graph_;
    stop_test stop_;
    segmented_operations operations_;
    chain chain_;
    std::vector<std::vector<std::vector<operation_index>>> backward_;  // per stage and tape: its operations
    bytes always_ = 0;
};

}  // namespace repebble::inline v0::detail

#endif
