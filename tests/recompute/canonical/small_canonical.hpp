#ifndef REPEBBLE_TESTS_RECOMPUTE_CANONICAL_SMALL_CANONICAL_HPP
#define REPEBBLE_TESTS_RECOMPUTE_CANONICAL_SMALL_CANONICAL_HPP

// The canonical schedules of all sequences of lower sets of a small graph, each replayed as a whole: the tests of the
// bounds and of the label setting of canonical schedules compare with them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/position_bits.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/superset_walk.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/canonical.hpp>
#include <repebble/recompute/detail/canonical/interned_sets.hpp>
#include <repebble/recompute/detail/canonical/lagrangian_bound.hpp>
#include <repebble/recompute/detail/canonical/positional_values.hpp>
#include <repebble/recompute/detail/canonical/segment_arcs.hpp>
#include <repebble/recompute/detail/canonical/segment_replay.hpp>
#include <repebble/recompute/detail/canonical/superset_source.hpp>
#include <repebble/recompute/planning_graph.hpp>

#include "recompute/random_training.hpp"
#include "support/generators.hpp"

namespace support {

struct never_over {
    [[nodiscard]] auto is_over() -> bool { return false; }
};

/// A training graph of unit times and bytes.
[[nodiscard]] inline auto unit_chain(std::size_t n) -> repebble::training_graph {
    return repebble::make_training_graph(chain(n), repebble::weights{repebble::unit_weight{}, repebble::unit_weight{}});
}

/// A chain with a few skips, where little costs nothing.
[[nodiscard]] inline auto random_narrow(split_mix& random) -> repebble::training_graph {
    auto const n = 5 + below(random, 4);
    auto const time = random_weights(random, n, 1, 9), memory = random_weights(random, n, 1, 5);
    auto forward = chain(n);
    if (chance(random, 50)) forward[below(random, n - 2)].push_back(static_cast<int>(n - 1));
    return repebble::make_training_graph(forward,
                                         repebble::weights{[&](int v) { return time[static_cast<std::size_t>(v)]; },
                                                           [&](int v) { return memory[static_cast<std::size_t>(v)]; }});
}
/// A random training graph whose values have positions: of any kind and up to `most` vertices, or a narrow one.
[[nodiscard]] inline auto random_positional(split_mix& random, std::size_t most) -> repebble::training_graph {
    if (chance(random, 50)) return random_narrow(random);
    for (;;) {
        auto const forward = random_forward(random, most);
        auto const how = built_conventions[below(random, 3)];
        auto const needs = random_needs(random, forward);
        auto training = with_free_views(repebble::make_training_graph(forward, needs, how));
        if (repebble::detail::positional_values::applies(repebble::planning_graph(training))) return training;
    }
}

/// All lower sets of a small training graph, and the cost of every sequence of them.
class small_canonical {
  public:
    using index = std::uint32_t;

    struct candidate {
        std::vector<index> sets;  ///< L_1 … V
        std::int64_t overhead = 0;
        repebble::bytes peak = 0;
    };

    explicit small_canonical(repebble::training_graph const& training)
        : graph(training), values(graph), all(values.problem(), 1000), sets(all) {
        std::vector<index> path;
        extend(0, path);
    }
    small_canonical(small_canonical const&) = delete;  // its parts refer to each other
    auto operator=(small_canonical const&) -> small_canonical& = delete;

    /// The cost of a sequence, by the replay of its schedule.
    [[nodiscard]] auto cost_of(std::vector<index> const& path) const -> candidate {
        std::vector<repebble::vertex_set> members;
        for (auto const i : path) {
            auto& set = members.emplace_back(values.size());
            repebble::detail::position_bits::for_each(
                sets[i], values.words(), [&](std::size_t p) { set.insert(values.problem().vertices()[p]); });
        }
        auto const sequence = repebble::lower_set_sequence::of(members, values.size());
        auto const judged = repebble::replay(graph.flow(), repebble::canonical(graph, sequence));
        return {path, judged.overhead, judged.peak};
    }
    /// The least overhead within a budget.
    [[nodiscard]] auto least(repebble::bytes budget) const -> std::optional<std::int64_t> {
        std::optional<std::int64_t> best;
        for (auto const& c : candidates)
            if (c.peak <= budget) best = std::min(best.value_or(c.overhead), c.overhead);
        return best;
    }
    /// A budget between a little less than the least peak and what keeps everything.
    [[nodiscard]] auto random_budget(split_mix& random) const -> repebble::bytes {
        auto const by_peak = [](candidate const& a, candidate const& b) { return a.peak < b.peak; };
        auto const [low, high] = std::ranges::minmax_element(candidates, by_peak);
        return between(random, low->peak - 1, std::min(high->peak, low->peak + 6));
    }
    /// Calls visit(set, overhead, cached, claimed bytes) at ∅ and after each segment but the last.
    template <class Visit>
    void for_each_prefix(candidate const& of, Visit const& visit) const {
        repebble::detail::segment_replay segment(values);
        std::vector<repebble::value_index> claimed;
        std::int64_t overhead = 0;
        repebble::bytes cached = 0;
        index at = 0;
        for (auto const to : of.sets) {
            repebble::bytes claimed_bytes = 0;
            for (auto const x : claimed) claimed_bytes += values.bytes_of(x);
            visit(at, overhead, cached, claimed_bytes);
            segment.open(sets[at]);
            auto const figures = segment.run(sets[to], values.beyond(sets[to]), claimed);
            overhead += figures.overhead;
            cached += figures.cached;
            if (!values.is_full(sets[to])) claimed = segment.claimed_after();
            at = to;
        }
    }
    [[nodiscard]] auto full() const -> index { return static_cast<index>(sets.size() - 1); }

    repebble::planning_graph graph;
    repebble::detail::positional_values values;
    repebble::all_supersets all;
    repebble::detail::superset_source sets;
    std::vector<candidate> candidates{};

  private:
    void extend(index from, std::vector<index>& path) {
        for (auto to = from + 1; to <= full(); ++to) {
            if (!repebble::detail::position_bits::is_subset(sets[from], sets[to], values.words())) continue;
            path.push_back(to);
            if (to == full())
                candidates.push_back(cost_of(path));
            else
                extend(to, path);
            path.pop_back();
        }
    }
};

}  // namespace support

#endif
