#ifndef REPEBBLE_RECOMPUTE_DETAIL_DIVIDE_AND_CONQUER_HPP
#define REPEBBLE_RECOMPUTE_DETAIL_DIVIDE_AND_CONQUER_HPP

// Divide and conquer over nested separators (Bulatov 2018, "Support general graphs"; Kumar, Purohit, Svitkina, Vee,
// Wang 2019, TWRemat): to compute an operation of a separator, what it reads is computed in the parts beside the
// separator by the same method, and forgotten. decomposition_plan and a start of the planner use it. Invariant: what a
// part reads from outside is resident whenever anything in the part is computed.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/decomposition/separator_tree.hpp>
#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/detail/sort_by.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/recompute/detail/chain_stages/drop_recomputations.hpp>

namespace repebble::inline v0::detail {

/// An order of the vertices by breadth-first search from each source: its separators follow one another along the
/// graph, so that few values are held on each level, though they may be wider than those of minimum fill.
[[nodiscard]] inline auto breadth_first_elimination(undirected_graph const& g) -> elimination_order {
    elimination_order order;
    std::vector<char> seen(g.vertex_count(), 0);
    auto const add = [&](undirected_graph::vertex v) {
        if (std::exchange(seen[v], char{1}) == 0) order.push_back(v);
    };
    std::size_t head = 0;
    for (undirected_graph::vertex root = 0; root < g.vertex_count(); ++root)
        for (add(root); head < order.size(); ++head) std::ranges::for_each(g.neighbors(order[head]), add);
    return order;
}

/// The operations of a dataflow divided by separators, and sequences of computations over them. Refers to the dataflow,
/// in which reads alone must order the operations and each value has one producer.
template <quantity Time>
class divide_and_conquer {
  public:
    /// `order`: an elimination order of g, the operations without directions.
    divide_and_conquer(dataflow<Time> const& flow, undirected_graph const& g,
                       std::span<undirected_graph::vertex const> order)
        : flow_(flow) {
        auto const n = flow.operation_count();
        auto const tree = decompose(g, order);
        width_ = tree.width();
        divided_ = nest_separators(g, tree);
        place_.resize(n);
        for (std::uint32_t k = 0; k < n; ++k) place_[flow.order()[k]] = k;
        size_.resize(n, 0);
        for (operation_index v = 0; v < n; ++v)
            for (auto const value : flow.writes(v)) size_[v] += flow.size(value);
        bound_levels();
    }

    /// The width of the tree decomposition.
    [[nodiscard]] auto width() const noexcept -> std::size_t { return width_; }
    /// The number of separators that lie in one another.
    [[nodiscard]] auto levels() const noexcept -> std::size_t { return divided_.levels(); }
    /// No sequence of `computations` with so many straight bytes has a greater peak.
    [[nodiscard]] auto promise(bytes straight) const noexcept -> bytes { return promise_ + straight; }

    /// The computations; parts of which what is asked makes at most `straight` bytes are computed in order, without
    /// forgetting. Nothing where there are more than `most`.
    [[nodiscard]] auto computations(bytes straight, std::size_t most) -> std::optional<std::vector<operation_index>> {
        straight_ = straight;
        most_ = most;
        sequence_.clear();
        auto const n = flow_.operation_count();
        holds_.assign(n, 0);
        resident_.assign(n, 0);
        ran_.assign(n, 0);
        needed_.assign(n, 0);
        sinks_.assign(divided_.separators.size() + 1, 0);
        for (std::uint32_t k = 0; k < divided_.separators.size(); ++k) {
            sinks_[k + 1] = sinks_[k];
            for (auto const v : divided_.separators[k].vertices) sinks_[k + 1] += flow_.is_sink(v) ? 1U : 0U;
        }
        for (std::uint32_t root = 0; root < divided_.separators.size(); root = divided_.separators[root].end)
            if (!produce(root, {}, true)) return std::nullopt;
        return without_unused<Time>(flow_, sequence_, [&](auto v) { return flow_.is_sink(v); });
    }

  private:
    /// Calls f(u) for the operations that v reads from, which may repeat.
    template <class F>
    void for_each_input(operation_index v, F&& f) const {
        for (auto const value : flow_.reads(v)) f(flow_.producers(value).front());
    }
    [[nodiscard]] auto separator_of(operation_index v) const -> std::uint32_t { return divided_.separator_of[v]; }
    [[nodiscard]] auto is_within(operation_index v, std::uint32_t part) const -> bool {
        return separator_of(v) >= part && separator_of(v) < divided_.separators[part].end;
    }

    /// The greatest sum over nested separators of what each keeps: its values, and what one of its operations reads.
    void bound_levels() {
        bytes workspace = 0;
        for (operation_index v = 0; v < flow_.operation_count(); ++v) {
            workspace = std::max(workspace, flow_.workspace(v));
            if (stays(v)) always_ = checked_add(always_, size_[v]);
        }
        std::vector<bytes> sum(divided_.separators.size(), 0);
        bytes most = 0;
        for (std::uint32_t k = 0; k < sum.size(); ++k) {
            auto const& s = divided_.separators[k];
            bytes kept = 0, read = 0;
            for (auto const v : s.vertices) {
                kept = checked_add(kept, size_[v]);
                bytes inputs = 0;
                for (auto const value : flow_.reads(v))
                    if (auto const u = flow_.producers(value).front(); separator_of(u) > k && is_within(u, k))
                        inputs = checked_add(inputs, size_[u]);
                read = std::max(read, inputs);
            }
            sum[k] = checked_add(checked_add(kept, read), s.parent == nested_separator::none ? 0 : sum[s.parent]);
            most = std::max(most, sum[k]);
        }
        promise_ = checked_add(checked_add(most, always_), checked_add(workspace, largest_sink()));
    }
    /// Whether the values of v stay resident once computed.
    [[nodiscard]] auto stays(operation_index v) const -> bool {
        return !flow_.recomputable(v) ||
               std::ranges::any_of(flow_.writes(v), [&](auto value) { return flow_.is_result(value); });
    }
    /// Sinks run as soon as what they read is resident.
    [[nodiscard]] auto largest_sink() const -> bytes {
        bytes largest = 0;
        for (operation_index v = 0; v < flow_.operation_count(); ++v)
            if (flow_.is_sink(v)) largest = std::max(largest, size_[v]);
        return largest;
    }

    auto run(operation_index v) -> bool {
        if (sequence_.size() >= most_) return false;
        sequence_.push_back(v);
        resident_[v] = 1;
        ran_[v] = 1;
        for (auto const w : flow_.graph().successors(v)) {
            if (ran_[w] != 0 || !flow_.is_sink(w)) continue;
            bool ready = true;
            for_each_input(w, [&](operation_index u) { ready = ready && resident_[u] != 0; });
            if (!ready) continue;
            sequence_.push_back(w);
            ran_[w] = 1;
            resident_[w] = stays(w) ? 1 : 0;
        }
        return true;
    }
    void hold(operation_index v) { ++holds_[v]; }
    void release(operation_index v) {
        if (--holds_[v] == 0 && !stays(v)) resident_[v] = 0;
    }

    /// The operations in a part that have to run so that all that is wanted is resident, in topological order; with
    /// those that lead to sinks that did not run, if asked.
    [[nodiscard]] auto find_needed(std::uint32_t part, std::span<operation_index const> wanted, bool rest)
        -> std::vector<operation_index> {
        std::vector<operation_index> found;
        auto const add = [&](operation_index v) {
            if (resident_[v] != 0 || needed_[v] != 0) return;
            needed_[v] = 1;
            found.push_back(v);
        };
        for (auto const v : wanted) add(v);
        if (rest && sinks_[part] != sinks_[divided_.separators[part].end])
            for (auto k = part; k < divided_.separators[part].end; ++k)
                for (auto const v : divided_.separators[k].vertices)
                    if (flow_.is_sink(v) && ran_[v] == 0) add(v);
        for (std::size_t k = 0; k < found.size(); ++k) for_each_input(found[k], add);
        for (auto const v : found) needed_[v] = 0;
        sort_by(found, [&](auto a, auto b) { return place_[a] < place_[b]; });
        return found;
    }

    /// Makes what is wanted in a part resident, and held by the caller; with `rest`, runs each sink of the part.
    auto produce(std::uint32_t part, std::span<operation_index const> wanted, bool rest) -> bool {
        auto const needed = find_needed(part, wanted, rest);
        if (needed.empty()) return true;
        auto const& here = divided_.separators[part];
        bytes sum = 0;
        for (auto const v : needed) sum += size_[v];
        bool const is_leaf = part + 1 == here.end;
        std::vector<operation_index> held;
        auto const take = [&](operation_index v) {
            held.push_back(v);
            hold(v);
        };
        if (is_leaf || sum <= straight_) {
            for (auto const v : needed) {
                take(v);
                if (!run(v)) return false;
            }
        } else {
            for (auto const v : needed) {
                if (separator_of(v) != part) continue;
                if (ran_[v] != 0 && flow_.is_sink(v)) continue;
                std::vector<operation_index> inputs;
                for_each_input(v, [&](operation_index u) {
                    if (separator_of(u) > part && is_within(u, part) && std::ranges::find(inputs, u) == inputs.end())
                        inputs.push_back(u);
                });
                for (auto const u : inputs) hold(u);
                if (!visit_children(part, inputs, false)) return false;
                take(v);
                if (!run(v)) return false;
                for (auto const u : inputs) release(u);
            }
            std::vector<operation_index> below;
            for (auto const v : wanted)
                if (separator_of(v) != part) below.push_back(v);
            if (!visit_children(part, below, rest)) return false;
        }
        for (auto const v : held) release(v);
        return true;
    }
    /// Makes what is wanted in the parts beside a separator resident: first what comes last in the order, since that
    /// takes the most, and the other values are not yet there then.
    auto visit_children(std::uint32_t part, std::span<operation_index const> wanted, bool rest) -> bool {
        struct visit {
            std::uint32_t child = 0;
            std::vector<operation_index> wanted{};
            std::uint32_t last = 0;
        };
        std::vector<visit> visits;
        for (auto child = part + 1; child < divided_.separators[part].end; child = divided_.separators[child].end) {
            visit here{child};
            for (auto const v : wanted)
                if (is_within(v, child)) {
                    here.wanted.push_back(v);
                    here.last = std::max(here.last, place_[v]);
                }
            if (rest || !here.wanted.empty()) visits.push_back(std::move(here));
        }
        std::ranges::stable_sort(visits, std::ranges::greater{}, &visit::last);
        return std::ranges::all_of(visits, [&](visit const& at) { return produce(at.child, at.wanted, rest); });
    }

    dataflow<Time> const& flow_;
    std::size_t width_ = 0, most_ = 0;
    separator_tree divided_;
    std::vector<std::uint32_t> place_;  // by operation, in the order
    std::vector<bytes> size_;           // by operation
    bytes promise_ = 0, always_ = 0, straight_ = 0;
    std::vector<std::uint32_t> sinks_;           // of the separators before each
    std::vector<std::uint32_t> holds_;           // by operation: callers that need it
    std::vector<char> resident_, ran_, needed_;  // by operation
    std::vector<operation_index> sequence_;
};

}  // namespace repebble::inline v0::detail

#endif
