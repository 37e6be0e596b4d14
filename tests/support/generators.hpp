#ifndef REPEBBLE_TESTS_SUPPORT_GENERATORS_HPP
#define REPEBBLE_TESTS_SUPPORT_GENERATORS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/dataflow/edit.hpp>

// Deterministic: the same seed gives the same graph with every compiler and standard library.

namespace support {

using split_mix = std::mt19937_64;
using adjacency = std::vector<std::vector<int>>;

/// One of 0 … bound-1.
[[nodiscard]] inline auto below(split_mix& random, std::size_t bound) -> std::size_t { return random() % bound; }
[[nodiscard]] inline auto between(split_mix& random, std::int64_t low, std::int64_t high) -> std::int64_t {
    return low + static_cast<std::int64_t>(below(random, static_cast<std::size_t>(high - low + 1)));
}
[[nodiscard]] inline auto chance(split_mix& random, std::size_t percent) -> bool {
    return below(random, 100) < percent;
}
template <class T>
[[nodiscard]] auto pick(split_mix& random, std::vector<T> const& items) -> T {
    return items[below(random, items.size())];
}

[[nodiscard]] inline auto random_permutation(split_mix& random, std::size_t n) -> std::vector<int> {
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[below(random, i)]);
    return order;
}

/// The same graph with vertex v called name[v].
[[nodiscard]] inline auto relabelled(adjacency const& g, std::vector<int> const& name) -> adjacency {
    adjacency result(g.size());
    for (std::size_t u = 0; u < g.size(); ++u)
        for (int const v : g[u]) result[static_cast<std::size_t>(name[u])].push_back(name[static_cast<std::size_t>(v)]);
    return result;
}

/// How vertices are numbered: along the edges, or at random.
enum class numbering : std::uint8_t { topological, shuffled };

/// Each of the possible edges u -> v, u < v, with the given chance.
[[nodiscard]] inline auto random_dag(split_mix& random, std::size_t n, std::size_t edge_percent,
                                     numbering names = numbering::topological) -> adjacency {
    adjacency g(n);
    for (std::size_t u = 0; u < n; ++u)
        for (std::size_t v = u + 1; v < n; ++v)
            if (chance(random, edge_percent)) g[u].push_back(static_cast<int>(v));
    return names == numbering::shuffled ? relabelled(g, random_permutation(random, n)) : g;
}

/// A random DAG of any density, of 0 … most vertices, numbered either way.
[[nodiscard]] inline auto any_dag(split_mix& random, std::size_t most) -> adjacency {
    auto const n = below(random, most + 1);
    auto const percent = below(random, 101);
    return random_dag(random, n, percent, chance(random, 50) ? numbering::shuffled : numbering::topological);
}

/// k parallel chains of m vertices.
[[nodiscard]] inline auto parallel_chains(std::size_t k, std::size_t m) -> adjacency {
    adjacency g(k * m);
    for (std::size_t v = 0; v < g.size(); ++v)
        if ((v + 1) % m != 0) g[v].push_back(static_cast<int>(v + 1));
    return g;
}
[[nodiscard]] inline auto chain(std::size_t n) -> adjacency { return parallel_chains(n == 0 ? 0 : 1, n); }

/// A series-parallel graph between vertices 0 and 1; the others are made one by one, so that indices are not
/// topological.
[[nodiscard]] inline auto series_parallel(split_mix& random, std::size_t n) -> adjacency {
    std::vector<std::pair<int, int>> edges{{0, 1}};
    for (int v = 2; v < static_cast<int>(n); ++v) {
        auto const at = below(random, edges.size());
        auto const [from, to] = edges[at];
        edges.emplace_back(v, to);
        if (chance(random, 50))
            edges[at] = {from, v};
        else
            edges.emplace_back(from, v);
    }
    adjacency g(n);
    for (auto const& [from, to] : edges) g[static_cast<std::size_t>(from)].push_back(to);
    return g;
}

[[nodiscard]] inline auto random_weights(split_mix& random, std::size_t n, std::int64_t low, std::int64_t high)
    -> std::vector<std::int64_t> {
    std::vector<std::int64_t> weights(n);
    for (auto& w : weights) w = between(random, low, high);
    return weights;
}

/// What a random dataflow may contain.
struct dataflow_shape {
    std::size_t operations = 8;
    numbering names = numbering::topological;
    std::size_t view_percent = 25;         ///< of operations
    std::size_t alternative_percent = 12;  ///< of outputs that are values which an earlier operation writes too
    std::size_t run_once_percent = 10;
    std::int64_t most_bytes = 9;  ///< of a value
};

/// Makes a dataflow with every feature: several outputs, outputs without readers, operations without outputs, partial
/// reads, views (of views, of several values, beside new values), workspaces, operations that are not recomputable,
/// values with several producers, values of 0 bytes, operations of time 0.
class dataflow_generator {
  public:
    dataflow_generator(split_mix& random, dataflow_shape const& shape) : random_(random), shape_(shape) {}

    [[nodiscard]] auto make() && -> repebble::dataflow {
        auto const n = shape_.operations;
        std::vector<bool> is_view(n);
        for (std::size_t v = 0; v < n; ++v) {
            is_view[v] = chance(random_, shape_.view_percent);
            auto const time = between(random_, 0, 5);
            auto const workspace = chance(random_, 30) ? between(random_, 1, 6) : 0;
            builder_.add_operation(time, workspace, !chance(random_, shape_.run_once_percent));
        }
        auto order = random_permutation(random_, n);
        if (shape_.names == numbering::topological) std::ranges::sort(order);
        for (int const position : order) {
            auto const v = static_cast<operation>(position);
            auto reads = random_reads();
            auto const outputs = below(random_, 10) == 0 ? 0 : 1 + below(random_, 7) / 3;
            written_.clear();
            for (std::size_t j = 0; j < outputs; ++j) write(v, reads, is_view[v] || chance(random_, 8));
            for (auto const x : reads) {
                builder_.add_read(v, x);
                values_[x].read = true;
            }
        }
        return std::move(builder_).build();
    }

  private:
    using operation = repebble::operation_index;
    using value = repebble::value_index;
    struct origin {
        bool read = false;
        std::vector<value> owners_of_view{};  // empty where it owns its storage
    };

    [[nodiscard]] auto random_reads() -> std::vector<value> {
        std::vector<value> reads;
        if (values_.empty()) return reads;
        for (auto k = below(random_, 4); k > 0; --k)
            reads.push_back(static_cast<value>(below(random_, values_.size())));
        return reads;
    }

    void write(operation v, std::vector<value>& reads, bool view) {
        if (chance(random_, shape_.alternative_percent) && write_again(v, reads)) return;
        value made = 0;
        origin from;
        if (view && !reads.empty()) {
            for (auto k = 1 + below(random_, 2); k > 0; --k) from.owners_of_view.push_back(pick(random_, reads));
            made = builder_.add_view(v, from.owners_of_view);
        } else {
            made = builder_.add_value(v, chance(random_, 10) ? 0 : between(random_, 1, shape_.most_bytes));
        }
        values_.push_back(from);
        written_.push_back(made);
    }

    /// Makes v another producer of a value without readers so far; where that value is a view, v must read its owners
    /// too.
    auto write_again(operation v, std::vector<value>& reads) -> bool {
        if (values_.empty()) return false;
        auto const same = static_cast<value>(below(random_, values_.size()));
        auto const mine = [&](value x) { return std::ranges::count(written_, x) > 0; };
        auto const& from = values_[same];
        if (from.read || mine(same) || std::ranges::count(reads, same) > 0 ||
            std::ranges::any_of(from.owners_of_view, mine))
            return false;
        reads.insert(reads.end(), from.owners_of_view.begin(), from.owners_of_view.end());
        builder_.add_producer(v, same);
        written_.push_back(same);
        return true;
    }

    split_mix& random_;
    dataflow_shape shape_;
    repebble::dataflow_builder builder_;
    std::vector<origin> values_;
    std::vector<value> written_;  // by the current operation
};

/// Whether an operation makes a view.
[[nodiscard]] inline auto makes_view(repebble::dataflow const& flow, repebble::operation_index v) -> bool {
    return std::ranges::any_of(flow.writes(v), [&](auto x) { return flow.is_view(x); });
}
/// The same with views that take no time: to make them with their owner, or again, restricts nothing and costs nothing.
[[nodiscard]] inline auto with_free_views(repebble::dataflow const& flow) -> repebble::dataflow {
    std::vector<std::int64_t> times;
    for (repebble::operation_index v = 0; v < flow.operation_count(); ++v)
        times.push_back(makes_view(flow, v) ? 0 : flow.time(v));
    return repebble::edit(flow, {.times = std::move(times)});
}

/// Whether a dataflow has views: they keep storage alive, which the models of searches leave out.
[[nodiscard]] inline auto has_views(repebble::dataflow const& flow) -> bool {
    bool has = false;
    for (repebble::value_index x = 0; x < flow.value_count(); ++x) has = has || flow.is_view(x);
    return has;
}

[[nodiscard]] inline auto random_dataflow(split_mix& random, dataflow_shape const& shape = {}) {
    return dataflow_generator(random, shape).make();
}

/// A random dataflow of fewer than `bound` operations, numbered either way.
[[nodiscard]] inline auto any_dataflow(split_mix& random, std::size_t bound, std::size_t view_percent = 25) {
    dataflow_shape shape{.operations = below(random, bound), .view_percent = view_percent};
    if (chance(random, 50)) shape.names = numbering::shuffled;
    return random_dataflow(random, shape);
}

/// A random order in which every operation runs, with up to `extra` recomputations, such that everything that is read
/// was computed before. Of operations that write the same values one may be left out.
[[nodiscard]] inline auto random_compute_order(split_mix& random, repebble::dataflow const& flow, std::size_t extra)
    -> std::vector<repebble::operation_index> {
    std::vector<repebble::operation_index> order, waiting(flow.order().begin(), flow.order().end()), done;
    std::vector<bool> computed(flow.value_count(), false);
    auto const is_computed = [&](repebble::value_index x) { return computed[x]; };
    while (!waiting.empty()) {
        if (extra > 0 && !done.empty() && chance(random, 40)) {
            --extra;
            auto const again = pick(random, done);
            if (flow.recomputable(again)) order.push_back(again);
            continue;
        }
        auto const at = waiting.begin() + static_cast<std::ptrdiff_t>(below(random, waiting.size()));
        auto const v = *at;
        if (!std::ranges::all_of(flow.reads(v), is_computed)) continue;
        waiting.erase(at);
        bool const superfluous = !flow.writes(v).empty() && std::ranges::all_of(flow.writes(v), is_computed);
        if (superfluous && chance(random, 50)) continue;
        order.push_back(v);
        done.push_back(v);
        for (auto const x : flow.writes(v)) computed[x] = true;
    }
    return order;
}

}  // namespace support

#endif
