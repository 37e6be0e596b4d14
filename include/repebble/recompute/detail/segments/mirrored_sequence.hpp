#ifndef REPEBBLE_RECOMPUTE_DETAIL_SEGMENTS_MIRRORED_SEQUENCE_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_SEGMENTS_MIRRORED_SEQUENCE_HPP

// The mirrored gradient graph of T. Chen, B. Xu, C. Zhang, C. Guestrin 2016, Algorithm 2, as a sequence of
// computations. Used by every strategy that is defined by counts: mirror, drop_cheap, segment_plan, segment_recursive.
// Invariant: each reader takes the newest copy of its inputs, and no computation without a reader is left.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <repebble/detail/sort_by.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/recompute/planning_graph.hpp>

namespace repebble::inline v0::detail {

/// Lists the computations of a plan by mirror counts: the forward pass in a given order; then, for each gradient, the
/// copies that it needs and that do not exist yet, and the gradient. Copy k of an operation reads copy min(k, its
/// count) of each input, and gradients read the last copies; copy 0 is the operation itself.
class mirrored_sequence {
  public:
    /// `counts`: per forward number; `order`: all forward numbers. Throws limit_reached beyond 10⁸ copies.
    mirrored_sequence(planning_graph const& graph, std::span<std::uint32_t const> counts,
                      std::span<std::uint32_t const> order)
        : graph_(graph), counts_(counts), order_(order), position_(order.size()) {
        for (std::uint32_t i = 0; i < order.size(); ++i) position_[order[i]] = i;
        constexpr std::size_t most = 100'000'000;
        for (std::size_t f = 0; f < counts.size(); ++f) {
            first_copy_.push_back(copies_);
            copies_ += counts[f];
            if (copies_ > most)
                detail::raise(limit_reached("mirror counts up to vertex " +
                                            std::to_string(graph.owner(graph.forward(f))) + " sum to more than " +
                                            std::to_string(most)));
        }
    }

    [[nodiscard]] auto computations() const -> std::vector<operation_index> {
        std::vector<operation_index> sequence;
        for (auto const f : order_) sequence.push_back(graph_.forward(f));
        vertex_set made(copies_);
        for (auto const gradient : gradients()) {
            add_copies(gradient, made, sequence);
            sequence.push_back(gradient);
        }
        return without_dead(sequence);
    }

  private:
    struct copy {
        std::uint32_t number = 0, level = 0;
    };

    /// Returns the backward pass: in the order of the graph; for built gradients in the reverse order of their
    /// vertices, except that sums over the users of a parameter stay in their order.
    [[nodiscard]] auto gradients() const -> std::vector<operation_index> {
        std::vector<operation_index> all;
        for (auto const v : graph_.flow().order())
            if (graph_.number(v) == graph_.none) all.push_back(v);
        if (!graph_.formulas_apply()) return all;
        std::vector<std::uint32_t> place(graph_.flow().operation_count(), graph_.none);
        for (auto const v : all) {
            place[v] = position_[graph_.gradient_of(v)];
            for (auto const u : graph_.flow().graph().predecessors(v))
                if (graph_.number(u) == graph_.none) place[v] = std::min(place[v], place[u]);
        }
        sort_by(all, [&](operation_index a, operation_index b) { return place[a] > place[b]; });
        return all;
    }

    void add_copies(operation_index gradient, vertex_set& made, std::vector<operation_index>& sequence) const {
        std::vector<copy> found;
        auto const add_inputs = [&](operation_index reader, std::uint32_t level) {
            for (auto const value : graph_.flow().reads(reader)) {
                auto const f = graph_.number(graph_.flow().producers(value).front());
                if (f == graph_.none) continue;
                copy const c{f, std::min(level, counts_[f])};
                if (c.level == 0 || made.contains(first_copy_[f] + c.level - 1)) continue;
                made.insert(first_copy_[f] + c.level - 1);
                found.push_back(c);
            }
        };
        add_inputs(gradient, graph_.none);
        for (std::size_t i = 0; i < found.size(); ++i) {
            auto const [number, level] = found[i];
            add_inputs(graph_.forward(number), level);
        }
        sort_by(found, [&](copy const& a, copy const& b) {
            return a.level != b.level ? a.level < b.level : position_[a.number] < position_[b.number];
        });
        for (auto const& c : found) sequence.push_back(graph_.forward(c.number));
    }

    /// Drops copies that no reader takes: every reader takes the newest copy of its inputs.
    [[nodiscard]] auto without_dead(std::vector<operation_index> const& sequence) const
        -> std::vector<operation_index> {
        auto const& flow = graph_.flow();
        std::vector<operation_index> kept;
        vertex_set has_reader(flow.value_count());
        for (std::size_t i = sequence.size(); i-- > 0;) {
            auto const v = sequence[i];
            bool read = i < order_.size() || graph_.number(v) == graph_.none;
            for (auto const value : flow.writes(v)) read = read || has_reader.contains(value);
            if (!read) continue;
            for (auto const value : flow.writes(v)) has_reader.erase(value);
            for (auto const value : flow.reads(v)) has_reader.insert(value);
            kept.push_back(v);
        }
        std::ranges::reverse(kept);
        return kept;
    }

    planning_graph const& graph_;
    std::span<std::uint32_t const> counts_, order_;
    std::vector<std::uint32_t> position_;  // per forward number
    std::vector<std::size_t> first_copy_;  // per forward number
    std::size_t copies_ = 0;
};

}  // namespace repebble::inline v0::detail

#endif
