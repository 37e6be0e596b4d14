#ifndef REPEBBLE_TREEWIDTH_DETAIL_ORDERS_MULTILEVEL_SEPARATOR_HPP
#define REPEBBLE_TREEWIDTH_DETAIL_ORDERS_MULTILEVEL_SEPARATOR_HPP

// Multilevel vertex separators (Hendrickson & Rothberg 1998): coarsening by heavy-edge matching, a separator of the
// coarsest graph by graph growing, and refinement by Fiduccia & Mattheyses 1982 on vertices (Ashcraft & Liu 1998) at
// every level. `find_dissection_order` uses it.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include <repebble/detail/split_mix.hpp>
#include <repebble/treewidth/detail/orders/weighted_graph.hpp>

namespace repebble::inline v0::detail {

/// A vertex separator: the side of each vertex, or `separator`.
struct separation {
    static constexpr std::uint8_t separator = 2;

    std::vector<std::uint8_t> side{};      // 0, 1 or `separator`
    std::array<std::int64_t, 3> weight{};  // of the two sides and the separator

    /// Lexicographic: weight of the separator, then imbalance.
    [[nodiscard]] auto cost() const -> std::pair<std::int64_t, std::int64_t> {
        return {weight[separator], std::abs(weight[0] - weight[1])};
    }
};

/// Refinement passes of moves out of the separator. A vertex that moves to one side pulls its neighbours on the other
/// side into the separator. Each pass takes best moves, even of negative gain, and rolls back to the best state seen.
class separator_refinement {
  public:
    using vertex = weighted_graph::vertex;

    /// `side_limit` is the largest weight of a side.
    separator_refinement(weighted_graph const& g, separation& cut, std::int64_t side_limit, split_mix& random)
        : g_(g), cut_(cut), side_limit_(side_limit), random_(random), locked_(g.size(), 0), pulled_(g.size()) {}

    void run() {
        for (std::size_t pass = 0; pass < 8; ++pass)
            if (!improve()) return;
    }

  private:
    static constexpr auto separator = separation::separator;
    /// A move, ordered by gain and then at random. Fewer than 2^32 vertices weigh less than 2^32 together.
    struct move {
        std::int64_t key;
        vertex v;

        move(std::int64_t gain, std::uint64_t chance, vertex u)
            : key((gain << bits) + static_cast<std::int64_t>(chance >> (64 - bits))), v(u) {}
        [[nodiscard]] auto gain() const -> std::int64_t { return key >> bits; }
        [[nodiscard]] friend auto operator<(move const& a, move const& b) -> bool { return a.key < b.key; }

      private:
        static constexpr int bits = 24;
    };

    [[nodiscard]] auto weight(vertex v) const -> std::int64_t { return g_.weight[v]; }
    [[nodiscard]] auto gain(vertex v, std::uint8_t to) const -> std::int64_t { return weight(v) - pulled_[v][to]; }
    void push_move(vertex v, std::uint8_t to) { moves_[to].emplace(gain(v, to), random_.next(), v); }
    /// Computes the weight that each of the two moves of a separator vertex would pull in.
    void enter(vertex v) {
        pulled_[v] = {0, 0};
        for (auto const u : g_.neighbors(v))
            if (cut_.side[u] != separator) pulled_[v][1 - cut_.side[u]] += weight(u);
        if ((locked_[v] & moved) != 0) return;
        push_move(v, 0);
        push_move(v, 1);
    }
    void set_side(vertex v, std::uint8_t side) {
        cut_.weight[cut_.side[v]] -= weight(v);
        cut_.weight[side] += weight(v);
        history_.emplace_back(v, cut_.side[v]);
        cut_.side[v] = side;
    }
    /// Moves v out of the separator to a side.
    void apply(vertex v, std::uint8_t to) {
        auto const other = static_cast<std::uint8_t>(1 - to);
        set_side(v, to);
        locked_[v] = moved;
        pulled_in_.clear();
        for (auto const u : g_.neighbors(v)) {
            if (cut_.side[u] == other) pulled_in_.push_back(u);
            if (cut_.side[u] != separator) continue;
            pulled_[u][other] += weight(v);
            if (locked_[u] == 0) push_move(u, other);
        }
        for (auto const u : pulled_in_) {
            set_side(u, separator);
            locked_[u] |= pulled_now;
        }
        for (auto const u : pulled_in_) {
            enter(u);
            for (auto const x : g_.neighbors(u)) {
                if (cut_.side[x] != separator || is_pulled(x)) continue;
                pulled_[x][to] -= weight(u);
                if (locked_[x] == 0) push_move(x, to);
            }
        }
        for (auto const u : pulled_in_) locked_[u] &= moved;
    }
    [[nodiscard]] auto is_pulled(vertex v) const -> bool { return (locked_[v] & pulled_now) != 0; }
    /// One pass, in which no vertex leaves the separator twice. True if it found an improvement.
    [[nodiscard]] auto improve() -> bool {
        moves_ = {};
        history_.clear();
        std::ranges::fill(locked_, std::uint8_t{0});
        for (vertex v = 0; v < g_.size(); ++v)
            if (cut_.side[v] == separator) enter(v);
        auto const before = std::pair(too_heavy(), cut_.cost());
        auto best = before;
        std::size_t best_at = 0, since_best = 0;
        while (since_best < patience) {
            auto const to = next_side();
            if (!to) break;
            auto const v = moves_[*to].top().v;
            moves_[*to].pop();
            apply(v, *to);
            ++since_best;
            if (auto const now = std::pair(too_heavy(), cut_.cost()); now < best) {
                best = now;
                best_at = history_.size();
                since_best = 0;
            }
        }
        while (history_.size() > best_at) {
            auto const [v, side] = history_.back();
            set_side(v, side);
            history_.resize(history_.size() - 2);
        }
        return best < before;
    }
    /// The side of the best admissible move, if any.
    [[nodiscard]] auto next_side() -> std::optional<std::uint8_t> {
        std::optional<std::uint8_t> best;
        for (auto const to : lighter_first()) {
            auto& all = moves_[to];
            while (!all.empty() && is_stale(all.top(), to)) all.pop();
            if (all.empty() || cut_.weight[to] + weight(all.top().v) > side_limit_) continue;
            if (!best || all.top().gain() > moves_[*best].top().gain()) best = to;
        }
        return best;
    }
    [[nodiscard]] auto lighter_first() const -> std::array<std::uint8_t, 2> {
        return cut_.weight[1] < cut_.weight[0] ? std::array<std::uint8_t, 2>{1, 0} : std::array<std::uint8_t, 2>{0, 1};
    }
    [[nodiscard]] auto is_stale(move const& m, std::uint8_t to) const -> bool {
        return cut_.side[m.v] != separator || locked_[m.v] != 0 || m.gain() != gain(m.v, to);
    }
    [[nodiscard]] auto too_heavy() const -> std::int64_t {
        return std::max<std::int64_t>(0, std::max(cut_.weight[0], cut_.weight[1]) - side_limit_);
    }

    static constexpr std::uint8_t moved = 1, pulled_now = 2;
    static constexpr std::size_t patience = 120;

    weighted_graph const& g_;
    separation& cut_;
    std::int64_t side_limit_;
    split_mix& random_;
    std::vector<std::uint8_t> locked_;
    std::vector<std::array<std::int64_t, 2>> pulled_;
    std::array<std::priority_queue<move>, 2> moves_;  // to each side; some are stale
    std::vector<std::pair<vertex, std::uint8_t>> history_;
    std::vector<vertex> pulled_in_;
};

/// Graph growing: side 0 grows breadth first from a vertex to half the weight; its boundary is the separator.
[[nodiscard]] inline auto grow_side(weighted_graph const& g, std::size_t from) -> separation {
    using vertex = weighted_graph::vertex;
    auto const n = g.size();
    separation cut{.side = std::vector<std::uint8_t>(n, 1)};
    auto const total = static_cast<std::int64_t>(g.total());
    std::vector<std::uint8_t> visited(n, 0);
    std::vector<vertex> reached;
    for (std::size_t next = 0, at = 0; 2 * cut.weight[0] < total; ++at) {
        while (at == reached.size()) {  // next component
            auto const v = static_cast<vertex>((from + next++) % n);
            if (visited[v] != 0) continue;
            visited[v] = 1;
            reached.push_back(v);
        }
        auto const v = reached[at];
        cut.side[v] = 0;
        cut.weight[0] += g.weight[v];
        for (auto const u : g.neighbors(v)) {
            if (visited[u] != 0) continue;
            visited[u] = 1;
            reached.push_back(u);
        }
    }
    for (auto const v : reached)
        if (cut.side[v] == 1 && std::ranges::any_of(g.neighbors(v), [&](vertex u) { return cut.side[u] == 0; })) {
            cut.side[v] = separation::separator;
            cut.weight[separation::separator] += g.weight[v];
        }
    cut.weight[1] = total - cut.weight[0] - cut.weight[separation::separator];
    return cut;
}

/// A small separator with no side above `share` of the weight, if possible.  About O(m log n).
[[nodiscard]] inline auto multilevel_separator(weighted_graph const& g, double share, split_mix& random) -> separation {
    static constexpr std::size_t coarsest = 80, starts = 8;
    auto const side_limit = static_cast<std::int64_t>(share * static_cast<double>(g.total()));
    if (g.size() > coarsest) {
        auto const coarser = coarsen(g, random);
        if (10 * coarser.graph.size() < 9 * g.size()) {
            auto const coarse = multilevel_separator(coarser.graph, share, random);
            separation cut{.side = {}, .weight = coarse.weight};
            cut.side.reserve(g.size());
            for (auto const part : coarser.part_of) cut.side.push_back(coarse.side[part]);
            separator_refinement(g, cut, side_limit, random).run();
            return cut;
        }
    }
    separation best;
    for (std::size_t k = 0; k < starts; ++k) {
        auto cut = grow_side(g, random.below(g.size()));
        separator_refinement(g, cut, side_limit, random).run();
        if (k == 0 || cut.cost() < best.cost()) best = std::move(cut);
    }
    return best;
}

}  // namespace repebble::inline v0::detail

#endif
