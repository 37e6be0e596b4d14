#ifndef REPEBBLE_DECOMPOSITION_DETAIL_ORDERS_SPARSE_FILL_HPP
#define REPEBBLE_DECOMPOSITION_DETAIL_ORDERS_SPARSE_FILL_HPP

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

/// Eliminates by fill and degree, exactly and incrementally: what an elimination changes is counted, nothing is counted
/// again. Vertices that came to have the same neighbours and one another are one from then on (of as many members):
/// where one of them is eliminated the others follow without fill. When what is left has few vertices for its edges it
/// goes on in a matrix of bits.
class sparse_fill {
  public:
    using vertex = undirected_graph::vertex;

    /// Vertices of an earlier stage are eliminated before those of later ones; without stages all are of one.
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

    /// Appends all vertices to the order; returns its width. Ends before, with nothing, where that is more than `most`,
    /// or where is_over() says so, which is asked now and then.
    template <class IsOver>
    [[nodiscard]] auto run(std::vector<vertex>& order, std::size_t most, IsOver const& is_over)
        -> std::optional<std::size_t> {
        constexpr std::size_t between_looks = 200'000;
        std::size_t width = 0;
        while (left_ > 0) {
            while (queue_.empty()) begin_stage();
            if (is_dense()) {
                auto const rest = in_matrix(order, most, is_over);
                return rest ? std::optional(std::max(width, *rest)) : std::nullopt;
            }
            auto const x = queue_.pop([&](vertex v) { return score(v); });
            width = std::max<std::size_t>(width, degree_[x]);
            if (width > most) return std::nullopt;
            if (read_ > between_looks) {
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
            if (auto const v = next(k); !lists_.is_gone(v)) queue_.put(v, score(v));
    }
    [[nodiscard]] auto stage_of(vertex v) const -> std::uint32_t { return stages_.empty() ? 0 : stages_[v]; }
    /// A row of bits takes no more bytes than twice a list of neighbours, on average.
    [[nodiscard]] auto is_dense() const -> bool {
        auto const kinds = lists_.vertex_count();  // vertices that are told apart
        return begun_ == n_ && kinds > 1 && 16 * lists_.edge_count() >= kinds * kinds && 10 * left_ <= 11 * kinds;
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
        if (++round_ == 0) forget(touched_at_, round_);
        touched_.clear();
        auto const all = lists_.neighbors(x);
        around_.assign(all.begin(), all.end());
        if (fill_[x] > 0) complete(x);
        left_ -= leaving;
        take(x);
        for (auto const u : around_) {
            fill_[u] -= std::int64_t{leaving} * (degree_[u] - d);
            degree_[u] -= leaving;
            touch(u);
        }
        unite_twins();
        for (auto const v : touched_)
            if (!lists_.is_gone(v) && stage_of(v) == stage_) queue_.put(v, score(v));
    }
    void take(vertex v) {
        lists_.remove(v, [&, name = name_of(v)](vertex w) { hash_[w] -= name; });
    }
    /// Makes all neighbours of x neighbours of one another.
    void complete(vertex x) {
        auto missing = fill_[x];
        // The list of one with very many is best not read.
        auto const hub = std::ranges::max_element(around_, {}, [&](vertex v) { return lists_.degree(v); });
        if (lists_.degree(*hub) > 8 * around_.size() + 64) std::iter_swap(hub, around_.end() - 1);
        for (std::size_t k = 0; k < around_.size() && missing > 0; ++k) {
            auto const a = around_[k];
            mark_neighbors(a);
            for (auto i = k + 1; i < around_.size(); ++i)
                if (auto const b = around_[i]; mark_[b] != stamp_) {
                    join(a, b);
                    missing -= std::int64_t{members_[a]} * members_[b];
                }
        }
    }
    void mark_neighbors(vertex v) {
        if (++stamp_ == 0) forget(mark_, stamp_);
        for (auto const w : lists_.neighbors(v)) mark_[w] = stamp_;
    }
    /// Of stamps that have been counted through.
    static void forget(std::vector<std::uint32_t>& stamps, std::uint32_t& now) {
        std::ranges::fill(stamps, 0);
        now = 1;
    }
    /// Requires: the neighbours of a are marked.
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
    /// Among the neighbours of what was eliminated: only theirs have changed.
    void unite_twins() {
        if (around_.size() < 2) return;
        std::ranges::sort(around_, {}, [&](vertex v) { return hash_[v]; });
        for (std::size_t k = 0; k + 1 < around_.size();) {
            auto const a = around_[k];
            auto const hash = hash_[a];
            for (++k; k < around_.size() && hash_[around_[k]] == hash; ++k)
                if (are_twins(a, around_[k])) twins_.push_back(around_[k]);
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
        take(b);
        members_[a] += members_[b];
        std::swap(next_member_[a], next_member_[b]);
        if (stage_of(b) == stage_) queue_.remove(b);
    }
    template <class IsOver>
    [[nodiscard]] auto in_matrix(std::vector<vertex>& order, std::size_t most, IsOver const& is_over)
        -> std::optional<std::size_t> {
        std::vector<vertex> left, number(n_);
        for (vertex v = 0; v < n_; ++v) {
            if (lists_.is_gone(v)) continue;
            number[v] = static_cast<vertex>(left.size());
            for_each_member(v, [&](vertex member) { left.push_back(member); });
        }
        dense_fill rest(left, rule_);
        for (vertex v = 0; v < n_; ++v) {
            if (lists_.is_gone(v)) continue;
            for (auto a = number[v]; a < number[v] + members_[v]; ++a) {
                for (auto b = number[v]; b < a; ++b) rest.connect(a, b);
                for (auto const w : lists_.neighbors(v))
                    for (auto b = number[w]; b < number[w] + members_[w] && v < w; ++b) rest.connect(a, b);
            }
        }
        return rest.run(order, most, is_over);
    }

    std::size_t n_;
    elimination_rule rule_;
    std::vector<std::int64_t> fill_;  // edges that are missing between the neighbours of a member
    shrinking_graph lists_;
    std::vector<std::uint32_t> degree_;  // members of neighbours, and its own others
    std::vector<std::uint32_t> members_;
    std::vector<vertex> next_member_;  // rings
    std::vector<std::uint64_t> hash_;  // sum of the names of a vertex and its neighbours
    std::vector<std::uint32_t> mark_, touched_at_;
    std::uint32_t stamp_ = 0, round_ = 0;
    std::vector<vertex> touched_, around_, twins_;
    bucket_queue queue_;
    std::span<std::uint32_t const> stages_;
    std::vector<vertex> by_stage_;
    std::size_t begun_ = 0;    // vertices of stages up to this one
    std::uint32_t stage_ = 0;  // of the vertices in the queue
    std::size_t read_ = 0;     // neighbours, since it was last asked whether the time is over
    std::size_t left_ = n_;    // vertices
};

}  // namespace repebble::inline v0::detail

#endif
