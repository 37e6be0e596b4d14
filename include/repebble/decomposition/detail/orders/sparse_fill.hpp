#ifndef REPEBBLE_DECOMPOSITION_DETAIL_ORDERS_SPARSE_FILL_HPP
#define REPEBBLE_DECOMPOSITION_DETAIL_ORDERS_SPARSE_FILL_HPP

// Greedy elimination on sparse graphs with exact, incrementally updated fill and degree (Ng & Peyton 2014),
// indistinguishable vertices merged into supervertices by hashing, and optional stages. The engine of
// `find_elimination_order`; it ends in `dense_fill` when the remaining graph is dense.
// Invariant: fill and degree of every remaining supervertex are exact after each elimination.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <repebble/decomposition/detail/bits/bucket_queue.hpp>
#include <repebble/decomposition/detail/graphs/shrinking_graph.hpp>
#include <repebble/decomposition/detail/orders/dense_fill.hpp>
#include <repebble/decomposition/detail/orders/missing_edges.hpp>
#include <repebble/decomposition/elimination_rule.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/detail/split_mix.hpp>

namespace repebble::inline v0::detail {

/// Eliminates all vertices of a graph by fill and degree. Vertices with the same closed neighbourhood form a
/// supervertex of several members, which are eliminated together without fill.
class sparse_fill {
  public:
    using vertex = undirected_graph::vertex;

    /// Vertices of earlier stages are eliminated first; without stages all are of one stage.
    sparse_fill(undirected_graph const& g, elimination_rule const& rule, std::span<std::uint32_t const> stages = {})
        : n_(g.vertex_count()),
          rule_(rule),
          fill_(missing_edges(g)),
          lists_(g),
          degree_(n_),
          members_(n_, 1),
          next_member_(n_),
          hash_(n_),
          mark_(n_, 0),
          touched_at_(n_, 0),
          queue_(n_, rule.ties, rule.seed),
          stages_(stages),
          by_stage_(stages.size()) {
        std::iota(by_stage_.begin(), by_stage_.end(), vertex{0});
        std::ranges::stable_sort(by_stage_, {}, [&](vertex v) { return stages[v]; });
        std::iota(next_member_.begin(), next_member_.end(), vertex{0});
        for (vertex v = 0; v < n_; ++v) {
            degree_[v] = lists_.degree(v);
            hash_[v] = name_of(v);
            for (auto const w : g.neighbors(v)) hash_[v] += name_of(w);
        }
    }

    /// Appends all vertices to the order; returns its width, or nullopt as soon as that exceeds `width_limit`, or when
    /// is_over(), asked from time to time, returns true.
    template <class IsOver>
    [[nodiscard]] auto run(std::vector<vertex>& order, std::size_t width_limit, IsOver const& is_over)
        -> std::optional<std::size_t> {
        constexpr std::size_t reads_per_check = 200'000;
        std::size_t width = 0;
        while (left_ > 0) {
            while (queue_.empty()) begin_stage();
            if (is_dense()) {
                auto const rest = run_dense(order, width_limit, is_over);
                return rest ? std::optional(std::max(width, *rest)) : std::nullopt;
            }
            auto const x = queue_.pop([&](vertex v) { return score(v); });
            width = std::max<std::size_t>(width, degree_[x]);
            if (width > width_limit) return std::nullopt;
            if (read_ > reads_per_check) {
                read_ = 0;
                if (is_over()) return std::nullopt;
            }
            for_each_member(x, [&](vertex member) { order.push_back(member); });
            eliminate(x);
        }
        return width;
    }

  private:
    void begin_stage() {
        auto const first = begun_;
        auto const next = [&](std::size_t k) { return stages_.empty() ? static_cast<vertex>(k) : by_stage_[k]; };
        stage_ = stage_of(next(first));
        while (begun_ < n_ && stage_of(next(begun_)) == stage_) ++begun_;
        for (auto k = begun_; k-- > first;)
            if (auto const v = next(k); !lists_.is_removed(v)) queue_.put(v, score(v));
    }
    [[nodiscard]] auto stage_of(vertex v) const -> std::uint32_t { return stages_.empty() ? 0 : stages_[v]; }
    /// Whether a row of bits takes at most twice the bytes of an average adjacency list.
    [[nodiscard]] auto is_dense() const -> bool {
        auto const supervertices = lists_.vertex_count();
        return begun_ == n_ && supervertices > 1 && 16 * lists_.edge_count() >= supervertices * supervertices &&
               10 * left_ <= 11 * supervertices;
    }
    [[nodiscard]] auto score(vertex v) const -> std::int64_t { return rule_.score(fill_[v], degree_[v]); }
    [[nodiscard]] static auto name_of(vertex v) -> std::uint64_t { return split_mix(v).next(); }
    template <class F>
    void for_each_member(vertex v, F const& f) const {
        auto at = v;
        do {
            f(at);
            at = next_member_[at];
        } while (at != v);
    }
    void touch(vertex v) {
        if (touched_at_[v] == round_) return;
        touched_at_[v] = round_;
        touched_.push_back(v);
    }
    void eliminate(vertex x) {
        auto const d = degree_[x];
        auto const leaving = members_[x];
        if (++round_ == 0) reset_stamps(touched_at_, round_);
        touched_.clear();
        auto const all = lists_.neighbors(x);
        neighbourhood_.assign(all.begin(), all.end());
        if (fill_[x] > 0) complete(x);
        left_ -= leaving;
        remove(x);
        for (auto const u : neighbourhood_) {
            fill_[u] -= std::int64_t{leaving} * (degree_[u] - d);
            degree_[u] -= leaving;
            touch(u);
        }
        unite_twins();
        for (auto const v : touched_)
            if (!lists_.is_removed(v) && stage_of(v) == stage_) queue_.put(v, score(v));
    }
    void remove(vertex v) {
        lists_.remove(v, [&, name = name_of(v)](vertex w) { hash_[w] -= name; });
    }
    /// Makes all neighbours of x neighbours of one another.
    void complete(vertex x) {
        auto missing = fill_[x];
        // The list of a hub is better not read.
        auto const hub = std::ranges::max_element(neighbourhood_, {}, [&](vertex v) { return lists_.degree(v); });
        if (lists_.degree(*hub) > 8 * neighbourhood_.size() + 64) std::iter_swap(hub, neighbourhood_.end() - 1);
        for (std::size_t k = 0; k < neighbourhood_.size() && missing > 0; ++k) {
            auto const a = neighbourhood_[k];
            mark_neighbors(a);
            for (auto i = k + 1; i < neighbourhood_.size(); ++i)
                if (auto const b = neighbourhood_[i]; mark_[b] != stamp_) {
                    join(a, b);
                    missing -= std::int64_t{members_[a]} * members_[b];
                }
        }
    }
    void mark_neighbors(vertex v) {
        if (++stamp_ == 0) reset_stamps(mark_, stamp_);
        for (auto const w : lists_.neighbors(v)) mark_[w] = stamp_;
    }
    /// Clears the stamps after an overflow of their counter.
    static void reset_stamps(std::vector<std::uint32_t>& stamps, std::uint32_t& now) {
        std::ranges::fill(stamps, 0);
        now = 1;
    }
    /// Adds an edge and updates fill and degrees.  Requires: the neighbours of a are marked.
    void join(vertex a, vertex b) {
        auto const added = std::int64_t{members_[a]} * members_[b];
        std::int64_t common = 0;
        read_ += lists_.degree(b);
        for (auto const w : lists_.neighbors(b))
            if (mark_[w] == stamp_) {
                common += members_[w];
                fill_[w] -= added;
                touch(w);
            }
        fill_[a] += members_[b] * (degree_[a] + std::int64_t{1} - members_[a] - common);
        fill_[b] += members_[a] * (degree_[b] + std::int64_t{1} - members_[b] - common);
        degree_[a] += members_[b];
        degree_[b] += members_[a];
        lists_.connect(a, b);
        hash_[a] += name_of(b);
        hash_[b] += name_of(a);
        mark_[b] = stamp_;
    }
    /// Merges indistinguishable vertices among the neighbours of the eliminated vertex; only theirs have changed.
    void unite_twins() {
        if (neighbourhood_.size() < 2) return;
        std::ranges::sort(neighbourhood_, {}, [&](vertex v) { return hash_[v]; });
        for (std::size_t k = 0; k + 1 < neighbourhood_.size();) {
            auto const a = neighbourhood_[k];
            auto const hash = hash_[a];
            for (++k; k < neighbourhood_.size() && hash_[neighbourhood_[k]] == hash; ++k)
                if (are_twins(a, neighbourhood_[k])) twins_.push_back(neighbourhood_[k]);
            for (auto const b : twins_) unite(a, b);
            twins_.clear();
        }
    }
    [[nodiscard]] auto are_twins(vertex a, vertex b) -> bool {
        if (lists_.degree(a) != lists_.degree(b) || stage_of(a) != stage_of(b)) return false;
        mark_neighbors(a);
        mark_[a] = stamp_;
        return mark_[b] == stamp_ &&
               std::ranges::all_of(lists_.neighbors(b), [&](vertex w) { return mark_[w] == stamp_; });
    }
    void unite(vertex a, vertex b) {
        remove(b);
        members_[a] += members_[b];
        std::swap(next_member_[a], next_member_[b]);
        if (stage_of(b) == stage_) queue_.remove(b);
    }
    template <class IsOver>
    [[nodiscard]] auto run_dense(std::vector<vertex>& order, std::size_t width_limit, IsOver const& is_over)
        -> std::optional<std::size_t> {
        std::vector<vertex> left, number(n_);
        for (vertex v = 0; v < n_; ++v) {
            if (lists_.is_removed(v)) continue;
            number[v] = static_cast<vertex>(left.size());
            for_each_member(v, [&](vertex member) { left.push_back(member); });
        }
        dense_fill rest(left, rule_);
        for (vertex v = 0; v < n_; ++v) {
            if (lists_.is_removed(v)) continue;
            for (auto a = number[v]; a < number[v] + members_[v]; ++a) {
                for (auto b = number[v]; b < a; ++b) rest.connect(a, b);
                for (auto const w : lists_.neighbors(v))
                    for (auto b = number[w]; b < number[w] + members_[w] && v < w; ++b) rest.connect(a, b);
            }
        }
        return rest.run(order, width_limit, is_over);
    }

    std::size_t n_;
    elimination_rule rule_;
    std::vector<std::int64_t> fill_;  // edges missing between the neighbours of a member
    shrinking_graph lists_;
    std::vector<std::uint32_t> degree_;  // members of neighbours, and its own other members
    std::vector<std::uint32_t> members_;
    std::vector<vertex> next_member_;  // rings
    std::vector<std::uint64_t> hash_;  // sum of the names of a vertex and its neighbours
    std::vector<std::uint32_t> mark_, touched_at_;
    std::uint32_t stamp_ = 0, round_ = 0;
    std::vector<vertex> touched_, neighbourhood_, twins_;
    bucket_queue queue_;
    std::span<std::uint32_t const> stages_;
    std::vector<vertex> by_stage_;
    std::size_t begun_ = 0;    // number of vertices in stages up to the current one
    std::uint32_t stage_ = 0;  // current stage
    std::size_t read_ = 0;     // neighbours read since the last call of is_over()
    std::size_t left_ = n_;    // remaining vertices
};

}  // namespace repebble::inline v0::detail

#endif
