#ifndef REPEBBLE_TESTS_SUPPORT_BRUTE_FORCE_HPP
#define REPEBBLE_TESTS_SUPPORT_BRUTE_FORCE_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/graph/weights.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/lower_sets/objective.hpp>

#include "support/generators.hpp"

namespace support {

/// A weight that looks its vertex up in a list.
template <class T>
struct listed {
    std::vector<T> list;
    [[nodiscard]] auto operator()(int v) const -> T { return list[static_cast<std::size_t>(v)]; }
};

/// A forward graph with its weights.
struct weighted_dag {
    adjacency graph;
    std::vector<std::int64_t> time;
    std::vector<repebble::bytes> memory;
    std::vector<char> pinned;  ///< not recomputable

    [[nodiscard]] auto size() const -> std::size_t { return graph.size(); }
    [[nodiscard]] auto weights() const {
        listed<char> recomputable{pinned};
        for (auto& r : recomputable.list) r = r == 0 ? 1 : 0;
        return repebble::weights{listed<std::int64_t>{time}, listed<repebble::bytes>{memory}, repebble::zero_weight{},
                                 recomputable};
    }
    [[nodiscard]] auto problem() const {
        return repebble::make_lower_set_problem(repebble::make_dataflow(graph, weights()));
    }
    template <class Dependencies>
    [[nodiscard]] auto training(Dependencies const& depends,
                                repebble::convention how = repebble::convention::value_grad) const {
        return repebble::make_training_graph(graph, weights(), depends, how);
    }
    /// The same with vertex v called name[v].
    [[nodiscard]] auto relabelled(std::vector<int> const& name) const -> weighted_dag {
        auto other = *this;
        other.graph = support::relabelled(graph, name);
        for (std::size_t v = 0; v < size(); ++v) {
            auto const w = static_cast<std::size_t>(name[v]);
            other.time[w] = time[v];
            other.memory[w] = memory[v];
            other.pinned[w] = pinned[v];
        }
        return other;
    }
};

[[nodiscard]] inline auto random_weighted_dag(split_mix& random, std::size_t most, std::int64_t greatest_time = 9,
                                              std::size_t pinned_percent = 0) -> weighted_dag {
    weighted_dag g{any_dag(random, most), {}, {}, {}};
    g.time = random_weights(random, g.size(), 0, greatest_time);
    g.memory = random_weights(random, g.size(), 0, 9);
    for (std::size_t v = 0; v < g.size(); ++v) g.pinned.push_back(chance(random, pinned_percent) ? 1 : 0);
    return g;
}

/// A set of up to 32 vertices, a bit each.
using mask = std::uint32_t;

[[nodiscard]] constexpr auto has(mask set, std::size_t v) -> bool { return (set >> v & 1U) != 0; }

/// Sequences of lower sets of a small graph with their costs, implemented literally from Kusumoto et al. 2019, sections
/// 2 and 3. No code is shared with the library.
class brute_force {
  public:
    using bytes = repebble::bytes;
    using sequence = std::vector<mask>;  // L_1 ≺ … ≺ L_k = V
    struct cost {
        std::int64_t overhead = 0;
        bytes peak = 0;
    };

    explicit brute_force(weighted_dag g) : g_(std::move(g)), all_((mask{1} << g_.size()) - 1) {}

    [[nodiscard]] auto out(mask set) const -> mask {  // δ⁺
        mask result = 0;
        for (std::size_t u = 0; u < g_.size(); ++u)
            for (int const w : g_.graph[u])
                if (has(set, u)) result |= mask{1} << w;
        return result;
    }
    [[nodiscard]] auto in(mask set) const -> mask {  // δ⁻
        mask result = 0;
        for (std::size_t u = 0; u < g_.size(); ++u)
            for (int const w : g_.graph[u])
                if (has(set, static_cast<std::size_t>(w))) result |= mask{1} << u;
        return result;
    }
    /// ∂(L) = δ⁻(V ∖ L) ∩ L, and the vertices that are not recomputable.
    [[nodiscard]] auto boundary(mask lower) const -> mask {
        mask pinned = 0;
        for (std::size_t v = 0; v < g_.size(); ++v)
            if (g_.pinned[v] != 0) pinned |= mask{1} << v;
        return (in(all_ & ~lower) | pinned) & lower;
    }
    [[nodiscard]] auto time(mask set) const -> std::int64_t {
        std::int64_t sum = 0;
        for (std::size_t v = 0; v < g_.size(); ++v)
            if (has(set, v)) sum += g_.time[v];
        return sum;
    }
    [[nodiscard]] auto memory(mask set) const -> bytes {
        bytes sum = 0;
        for (std::size_t v = 0; v < g_.size(); ++v)
            if (has(set, v)) sum += g_.memory[v];
        return sum;
    }

    /// Small sets first.
    [[nodiscard]] auto lower_sets() const -> std::vector<mask> {
        std::vector<mask> sets;
        for (std::size_t size = 0; size <= g_.size(); ++size)
            for (mask set = 0; set <= all_; ++set)
                if (static_cast<std::size_t>(std::popcount(set)) == size && (in(set) & ~set) == 0) sets.push_back(set);
        return sets;
    }
    /// ∅, the vertices from which v can be reached, for every v, and V: those of the lower sets that are so.
    [[nodiscard]] auto pruned_lower_sets() const -> std::vector<mask> {
        auto sets = lower_sets();
        std::erase_if(sets, [&](mask set) {
            if (set == 0 || set == all_) return false;
            return std::popcount(set & ~in(set)) != 1;  // L^v is the lower set whose one maximal element is v
        });
        return sets;
    }

    /// Formulas (1) and (2).
    [[nodiscard]] auto evaluate(sequence const& lower, bool keep_last) const -> cost {
        cost result;
        mask cached = 0;  // U_i
        mask before = 0;  // L_{i-1}
        mask free = 0;    // vertices that are not recomputed although they are not cached
        for (mask const l : lower) {
            mask const segment = l & ~before;  // V_i
            bytes const needed = memory(cached) + 2 * memory(segment) + memory(out(l) & ~l) + memory(in(out(l)) & ~l);
            result.peak = std::max(result.peak, needed);
            cached |= boundary(l);
            if (keep_last && l == all_) free = segment;
            before = l;
        }
        result.overhead = time(all_ & ~cached & ~free);
        return result;
    }

    /// Calls f(sequence) for every increasing sequence from the family, which is ordered by size, that ends with V.
    template <class F>
    void for_each_sequence(std::vector<mask> const& family, F&& f) const {
        sequence path;
        if (all_ == 0)
            f(path);
        else
            extend(family, 0, path, f);
    }
    [[nodiscard]] auto count_sequences(std::vector<mask> const& family) const -> std::size_t {
        std::vector<std::size_t> ways(family.size(), 0);
        for (std::size_t j = 0; j < family.size(); ++j) {
            ways[j] = family[j] == 0 ? 1 : 0;
            for (std::size_t i = 0; i < j; ++i)
                if (family[i] != family[j] && (family[i] & ~family[j]) == 0) ways[j] += ways[i];
        }
        return ways.back();
    }

    /// The costs of every sequence.
    [[nodiscard]] auto all_costs(std::vector<mask> const& family, bool keep_last) const -> std::vector<cost> {
        std::vector<cost> costs;
        for_each_sequence(family, [&](sequence const& s) { costs.push_back(evaluate(s, keep_last)); });
        return costs;
    }

  private:
    template <class F>
    void extend(std::vector<mask> const& family, mask last, sequence& path, F& f) const {
        for (mask const next : family) {
            if (next == last || (last & ~next) != 0) continue;
            path.push_back(next);
            if (next == all_)
                f(std::as_const(path));
            else
                extend(family, next, path, f);
            path.pop_back();
        }
    }

    weighted_dag g_;
    mask all_;
};

/// The best overhead within each budget, from the costs of all sequences.
class best_by_budget {
  public:
    template <class Costs>
    best_by_budget(Costs const& costs, repebble::objective goal) {
        for (auto const& c : costs) points_.emplace_back(c.peak, c.overhead);
        bool const least = goal == repebble::objective::time;
        std::ranges::sort(points_);
        for (std::size_t i = 1; i < points_.size(); ++i) {
            auto const before = points_[i - 1].second;
            auto& best = points_[i].second;
            best = least ? std::min(best, before) : std::max(best, before);
        }
    }

    [[nodiscard]] auto within(repebble::bytes budget) const -> std::optional<std::int64_t> {
        std::optional<std::int64_t> best;
        for (auto const& [peak, overhead] : points_)
            if (peak <= budget) best = overhead;
        return best;
    }
    [[nodiscard]] auto least_budget() const -> repebble::bytes { return points_.front().first; }
    /// Every peak that occurs, and one byte less.
    [[nodiscard]] auto budgets() const -> std::vector<repebble::bytes> {
        std::vector<repebble::bytes> budgets;
        for (auto const& [peak, overhead] : points_)
            for (auto const b : {peak - 1, peak})
                if (budgets.empty() || budgets.back() < b) budgets.push_back(b);
        return budgets;
    }

  private:
    std::vector<std::pair<repebble::bytes, std::int64_t>> points_;  // (peak, best overhead of any that needs no more)
};

/// A random sequence of lower sets: a random topological order, cut at random places.
[[nodiscard]] inline auto random_sequence(split_mix& random, weighted_dag const& g) -> std::vector<mask> {
    std::vector<mask> sets;
    auto const n = g.size();
    auto const all = (mask{1} << n) - 1;
    auto const cut_percent = below(random, 101);
    brute_force const brute(g);
    mask set = 0;
    while (set != all) {
        auto const v = below(random, n);
        if (has(set, v) || (brute.in(mask{1} << v) & ~set) != 0) continue;
        set |= mask{1} << v;
        if (set == all || chance(random, cut_percent)) sets.push_back(set);
    }
    return sets;
}

[[nodiscard]] inline auto set_of(mask bits, std::size_t universe) -> repebble::vertex_set {
    repebble::vertex_set set(universe);
    for (std::size_t v = 0; v < universe; ++v)
        if (has(bits, v)) set.insert(v);
    return set;
}
/// The sequence in the terms of the library.
[[nodiscard]] inline auto sequence_from(std::vector<mask> const& lower, std::size_t universe)
    -> repebble::lower_set_sequence {
    std::vector<repebble::vertex_set> sets;
    for (mask const l : lower) sets.push_back(set_of(l, universe));
    return repebble::lower_set_sequence::of(sets, universe);
}
[[nodiscard]] inline auto masks_of(repebble::lower_set_sequence const& sequence) -> std::vector<mask> {
    std::vector<mask> sets;
    for (auto const& set : sequence.lower_sets()) {
        sets.push_back(0);
        for (auto const v : set.to_vector()) sets.back() |= mask{1} << v;
    }
    return sets;
}

}  // namespace support

#endif
