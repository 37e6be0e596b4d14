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
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/decomposition/separator_tree.hpp>
#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/sort_by.hpp>
#include <repebble/detail/sort_unique.hpp>
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
class divide_and_conquer {
  public:
    /// Refers to the flow and to what `stop` refers to. `order`: an elimination order of g, the operations without
    /// directions.
    divide_and_conquer(dataflow const& flow, undirected_graph const& g, std::span<undirected_graph::vertex const> order,
                       stop_test stop)
        : flow_(flow), stop_(stop) {
        auto const n = flow.operation_count();
        auto const tree = make_tree_decomposition(g, order);
        width_ = tree.width();
        auto divided = separator_nesting(g, tree, stop).take();
        if (!divided) return;
        divided_ = std::move(*divided);
        place_.resize(n);
        for (std::uint32_t k = 0; k < n; ++k) place_[flow.order()[k]] = k;
        size_.resize(n, 0);
        stays_.resize(n);
        is_sink_.resize(n);
        sinks_after_.resize(n);
        missing_at_first_.resize(n, 0);
        for (operation_index v = 0; v < n; ++v) {
            for (auto const value : flow.writes(v)) size_[v] = checked_add(size_[v], flow.size(value));
            bool const is_kept = std::ranges::any_of(flow.writes(v), [&](auto value) { return flow.is_result(value); });
            stays_[v] = is_kept || !flow.recomputable(v) ? 1 : 0;
            is_sink_[v] = flow.is_sink(v) ? 1 : 0;
            if (!is_sink(v)) continue;
            auto const inputs = inputs_of(v, [](operation_index) { return true; });
            for (auto const u : inputs) sinks_after_[u].push_back(v);
            missing_at_first_[v] = static_cast<std::uint32_t>(inputs.size());
        }
        bound_levels();
    }

    /// Whether stop() returned true before all was divided: nothing else may be asked then.
    [[nodiscard]] auto was_stopped() const noexcept -> bool {
        return divided_.separator_of.size() != flow_.operation_count();
    }
    /// The width of the tree decomposition.
    [[nodiscard]] auto width() const noexcept -> std::size_t { return width_; }
    /// The number of separators that lie in one another.
    [[nodiscard]] auto levels() const noexcept -> std::size_t { return divided_.levels(); }
    /// No sequence of `computations` with so many straight bytes has a greater peak.
    [[nodiscard]] auto promise(bytes straight) const noexcept -> bytes { return capped_sum(promise_, straight); }
    /// Straight bytes to try, ascending: none, the fewest that an operation makes, doubled up to those of all.
    /// O(n).
    [[nodiscard]] auto straight_grid() const -> std::vector<bytes> {
        bytes all = 0, fewest = most_bytes;
        for (auto const size : size_) {
            all = capped_sum(all, size);
            if (size > 0) fewest = std::min(fewest, size);
        }
        std::vector<bytes> grid{0};
        for (auto next = fewest; grid.back() < all; next = capped_sum(next, next)) grid.push_back(std::min(next, all));
        return grid;
    }

    /// The computations; parts of which what is asked makes at most `straight` bytes are computed in order, without
    /// forgetting. Nothing where there are more than `most`, or from when stop() returns true on.
    [[nodiscard]] auto computations(bytes straight, std::size_t most) -> std::optional<std::vector<operation_index>> {
        straight_ = straight;
        most_ = most;
        sequence_.clear();
        auto const n = flow_.operation_count();
        holds_.assign(n, 0);
        resident_.assign(n, 0);
        ran_.assign(n, 0);
        missing_ = missing_at_first_;
        needed_.assign(n, 0);
        sinks_.assign(divided_.separators.size() + 1, 0);
        for (std::uint32_t k = 0; k < divided_.separators.size(); ++k) {
            sinks_[k + 1] = sinks_[k];
            for (auto const v : divided_.separators[k].vertices) sinks_[k + 1] += is_sink(v) ? 1U : 0U;
        }
        for (std::uint32_t root = 0; root < divided_.separators.size(); root = divided_.separators[root].end)
            if (!produce(root, {}, true)) return std::nullopt;
        auto used = without_unused(
            flow_, sequence_, [&](auto v) { return is_sink(v); }, stop_);
        return stop_() ? std::nullopt : std::optional(std::move(used));
    }

  private:
    static constexpr auto most_bytes = std::numeric_limits<bytes>::max();
    static constexpr std::size_t often = 256;

    /// a + b, or as many as there may be: of bounds, which may exceed what is resident at once.
    [[nodiscard]] static auto capped_sum(bytes a, bytes b) noexcept -> bytes {
        return a > most_bytes - b ? most_bytes : a + b;
    }
    /// Calls f(u) for the operations that v reads from, which may repeat.
    template <class F>
    void for_each_input(operation_index v, F&& f) const {
        for (auto const value : flow_.reads(v)) f(flow_.producers(value).front());
    }
    /// The operations that v reads from, each once, of those that are counted.
    template <class IsCounted>
    [[nodiscard]] auto inputs_of(operation_index v, IsCounted const& is_counted) const -> std::vector<operation_index> {
        std::vector<operation_index> inputs;
        for_each_input(v, [&](operation_index u) {
            if (is_counted(u)) inputs.push_back(u);
        });
        sort_unique(inputs);
        return inputs;
    }
    [[nodiscard]] auto separator_of(operation_index v) const -> std::uint32_t { return divided_.separator_of[v]; }
    /// Whether v is in a part, but not in its separator.
    [[nodiscard]] auto is_below(operation_index v, std::uint32_t part) const -> bool {
        return separator_of(v) > part && separator_of(v) < divided_.separators[part].end;
    }
    /// The child of a separator in whose part v is, which is below.  O(levels).
    [[nodiscard]] auto child_with(operation_index v, std::uint32_t part) const -> std::uint32_t {
        auto child = separator_of(v);
        while (divided_.separators[child].parent != part) child = divided_.separators[child].parent;
        return child;
    }

    /// The greatest sum over nested separators of what each keeps: its values, and what one of its operations reads.
    /// What stays is counted once, apart.
    void bound_levels() {
        bytes workspace = 0, always = 0;
        for (operation_index v = 0; v < flow_.operation_count(); ++v) {
            workspace = std::max(workspace, flow_.workspace(v));
            if (stays(v)) always = capped_sum(always, size_[v]);
        }
        std::vector<bytes> sum(divided_.separators.size(), 0);
        bytes most = 0;
        for (std::uint32_t k = 0; k < sum.size(); ++k) {
            auto const& s = divided_.separators[k];
            bytes kept = 0, read = 0;
            for (auto const v : s.vertices) {
                if (!stays(v)) kept = capped_sum(kept, size_[v]);
                bytes inputs = 0;
                for (auto const u : inputs_of(v, [&](operation_index w) { return is_below(w, k) && !stays(w); }))
                    inputs = capped_sum(inputs, size_[u]);
                read = std::max(read, inputs);
            }
            sum[k] = capped_sum(capped_sum(kept, read), s.parent == nested_separator::none ? 0 : sum[s.parent]);
            most = std::max(most, sum[k]);
        }
        promise_ = capped_sum(capped_sum(most, always), capped_sum(workspace, largest_sink()));
    }
    /// Whether the values of v stay resident once computed.
    [[nodiscard]] auto stays(operation_index v) const -> bool { return stays_[v] != 0; }
    [[nodiscard]] auto is_sink(operation_index v) const -> bool { return is_sink_[v] != 0; }
    /// Sinks run as soon as what they read is resident.
    [[nodiscard]] auto largest_sink() const -> bytes {
        bytes largest = 0;
        for (operation_index v = 0; v < flow_.operation_count(); ++v)
            if (is_sink(v)) largest = std::max(largest, size_[v]);
        return largest;
    }

    auto run(operation_index v) -> bool {
        if (sequence_.size() >= most_) return false;
        sequence_.push_back(v);
        ran_[v] = 1;
        if (std::exchange(resident_[v], char{1}) == 0)
            for (auto const w : sinks_after_[v]) --missing_[w];
        for (auto const w : sinks_after_[v]) {
            if (ran_[w] != 0 || missing_[w] != 0) continue;
            sequence_.push_back(w);
            ran_[w] = 1;
            resident_[w] = stays_[w];
        }
        return true;
    }
    void hold(operation_index v) { ++holds_[v]; }
    void release(operation_index v) {
        if (--holds_[v] != 0 || stays(v) || std::exchange(resident_[v], char{0}) == 0) return;
        for (auto const w : sinks_after_[v]) ++missing_[w];
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
                    if (is_sink(v) && ran_[v] == 0) add(v);
        for (std::size_t k = 0; k < found.size(); ++k) for_each_input(found[k], add);
        for (auto const v : found) needed_[v] = 0;
        sort_by(found, [&](auto a, auto b) { return place_[a] < place_[b]; });
        return found;
    }

    /// Makes what is wanted in a part resident, and held by the caller; with `rest`, runs each sink of the part.
    auto produce(std::uint32_t part, std::span<operation_index const> wanted, bool rest) -> bool {
        if (++parts_ % often == 0 && stop_()) return false;
        auto const needed = find_needed(part, wanted, rest);
        if (needed.empty()) return true;
        auto const& here = divided_.separators[part];
        bytes sum = 0;
        for (auto const v : needed) sum = capped_sum(sum, size_[v]);
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
                if (ran_[v] != 0 && is_sink(v)) continue;
                auto const inputs = inputs_of(v, [&](operation_index w) { return is_below(w, part); });
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
        std::vector<std::pair<std::uint32_t, operation_index>> by_child;
        for (auto const v : wanted) by_child.emplace_back(child_with(v, part), v);
        sort_unique(by_child);
        std::vector<visit> visits;
        if (rest)
            for (auto k = part + 1; k < divided_.separators[part].end; k = divided_.separators[k].end)
                visits.push_back({k});
        std::size_t at = 0;  // with the rest: of the child at hand
        for (auto const& [child, v] : by_child) {
            if (rest)
                while (visits[at].child != child) ++at;
            else if (visits.empty() || visits.back().child != child)
                visits.push_back({child});
            auto& here = rest ? visits[at] : visits.back();
            here.wanted.push_back(v);
            here.last = std::max(here.last, place_[v]);
        }
        std::ranges::stable_sort(visits, std::ranges::greater{}, &visit::last);
        return std::ranges::all_of(visits, [&](visit const& v) { return produce(v.child, v.wanted, rest); });
    }

    dataflow const& flow_;
    stop_test stop_;
    std::size_t width_ = 0, most_ = 0;
    std::size_t parts_ = 0;  // that were produced
    separator_tree divided_;
    std::vector<std::uint32_t> place_;  // by operation, in the order
    std::vector<bytes> size_;           // by operation
    bytes promise_ = 0, straight_ = 0;
    std::vector<char> stays_, is_sink_;                      // by operation
    std::vector<std::vector<operation_index>> sinks_after_;  // by operation: the sinks that read it
    std::vector<std::uint32_t> missing_at_first_, missing_;  // by sink: inputs that are not resident
    std::vector<std::uint32_t> sinks_;                       // of the separators before each
    std::vector<std::uint32_t> holds_;                       // by operation: callers that need it
    std::vector<char> resident_, ran_, needed_;              // by operation
    std::vector<operation_index> sequence_;
};

}  // namespace repebble::inline v0::detail

#endif
