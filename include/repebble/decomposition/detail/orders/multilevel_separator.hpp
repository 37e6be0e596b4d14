#ifndef REPEBBLE_DECOMPOSITION_DETAIL_ORDERS_MULTILEVEL_SEPARATOR_HPP
#define REPEBBLE_DECOMPOSITION_DETAIL_ORDERS_MULTILEVEL_SEPARATOR_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include <repebble/decomposition/detail/orders/weighted_graph.hpp>
#include <repebble/detail/split_mix.hpp>

namespace repebble::inline v0::detail {

/// On which side of a separator each vertex is, or that it is in it.
struct separation {
    static constexpr std::uint8_t separator = 2;

    std::vector<std::uint8_t> side{};      // 0, 1 or `separator`
    std::array<std::int64_t, 3> weight{};  // of each

    /// Less is better: the separator first, then how unlike the sides are.
    [[nodiscard]] auto cost() const -> std::pair<std::int64_t, std::int64_t> {
        return {weight[separator], std::abs(weight[0] - weight[1])};
    }
};

/// Moves vertices between a separator and its sides: one that joins a side pulls those of its neighbours that are on
/// the other side into the separator. Each move is the best there is, even where it is no gain; what comes after the
/// best that was seen is taken back (Fiduccia & Mattheyses 1982; on vertices: Ashcraft & Liu 1998).
class separator_refinement {
  public:
    using vertex = weighted_graph::vertex;

    /// No side may weigh more than `most`.
    separator_refinement(weighted_graph const& g, separation& cut, std::int64_t most, split_mix& random)
        : g_(g), cut_(cut), most_(most), random_(random), locked_(g.size(), 0), pulled_(g.size()) {}

    void run() {
        for (std::size_t pass = 0; pass < 8; ++pass)
            if (!improve()) return;
    }

  private:
    static constexpr auto separator = separation::separator;
    /// By gain, and by chance among equal ones. Less than 2^32 vertices weigh together less than 2^32.
    struct move {
        std::int64_t key;
        vertex v;

        move(std::int64_t gain, std::uint64_t chance, vertex moved)
            : key((gain << bits) + static_cast<std::int64_t>(chance >> (64 - bits))), v(moved) {}
        [[nodiscard]] auto gain() const -> std::int64_t { return key >> bits; }
        [[nodiscard]] friend auto operator<(move const& a, move const& b) -> bool { return a.key < b.key; }

      private:
        static constexpr int bits = 24;
    };

    [[nodiscard]] auto weight(vertex v) const -> std::int64_t { return g_.weight[v]; }
    [[nodiscard]] auto gain(vertex v, std::uint8_t to) const -> std::int64_t { return weight(v) - pulled_[v][to]; }
    void offer(vertex v, std::uint8_t to) { moves_[to].emplace(gain(v, to), random_.next(), v); }
    /// What would be pulled to the separator with each of the two moves of a vertex in it.
    void enter(vertex v) {
        pulled_[v] = {0, 0};
        for (auto const u : g_.neighbors(v))
            if (cut_.side[u] != separator) pulled_[v][1 - cut_.side[u]] += weight(u);
        if ((locked_[v] & moved) != 0) return;
        offer(v, 0);
        offer(v, 1);
    }
    void put(vertex v, std::uint8_t side) {
        cut_.weight[cut_.side[v]] -= weight(v);
        cut_.weight[side] += weight(v);
        done_.emplace_back(v, cut_.side[v]);
        cut_.side[v] = side;
    }
    void apply(vertex v, std::uint8_t to) {
        auto const other = static_cast<std::uint8_t>(1 - to);
        put(v, to);
        locked_[v] = moved;
        pulls_.clear();
        for (auto const u : g_.neighbors(v)) {
            if (cut_.side[u] == other) pulls_.push_back(u);
            if (cut_.side[u] != separator) continue;
            pulled_[u][other] += weight(v);
            if (locked_[u] == 0) offer(u, other);
        }
        for (auto const u : pulls_) {
            put(u, separator);
            locked_[u] |= pulled_now;
        }
        for (auto const u : pulls_) {
            enter(u);
            for (auto const x : g_.neighbors(u)) {
                if (cut_.side[x] != separator || is_pulled(x)) continue;
                pulled_[x][to] -= weight(u);
                if (locked_[x] == 0) offer(x, to);
            }
        }
        for (auto const u : pulls_) locked_[u] &= moved;
    }
    [[nodiscard]] auto is_pulled(vertex v) const -> bool { return (locked_[v] & pulled_now) != 0; }
    /// One pass, in which no vertex leaves the separator twice. True where it found something better.
    [[nodiscard]] auto improve() -> bool {
        moves_ = {};
        done_.clear();
        std::ranges::fill(locked_, std::uint8_t{0});
        for (vertex v = 0; v < g_.size(); ++v)
            if (cut_.side[v] == separator) enter(v);
        auto const before = std::pair(too_heavy(), cut_.cost());
        auto best = before;
        std::size_t best_at = 0, in_vain = 0;
        while (in_vain < patience) {
            auto const to = next_side();
            if (!to) break;
            auto const v = moves_[*to].top().v;
            moves_[*to].pop();
            apply(v, *to);
            ++in_vain;
            if (auto const now = std::pair(too_heavy(), cut_.cost()); now < best) {
                best = now;
                best_at = done_.size();
                in_vain = 0;
            }
        }
        while (done_.size() > best_at) {
            auto const [v, side] = done_.back();
            put(v, side);
            done_.resize(done_.size() - 2);
        }
        return best < before;
    }
    /// To which side the best move goes, if there is one.
    [[nodiscard]] auto next_side() -> std::optional<std::uint8_t> {
        std::optional<std::uint8_t> best;
        for (auto const to : lighter_first()) {
            auto& all = moves_[to];
            while (!all.empty() && is_out_of_date(all.top(), to)) all.pop();
            if (all.empty() || cut_.weight[to] + weight(all.top().v) > most_) continue;
            if (!best || all.top().gain() > moves_[*best].top().gain()) best = to;
        }
        return best;
    }
    [[nodiscard]] auto lighter_first() const -> std::array<std::uint8_t, 2> {
        return cut_.weight[1] < cut_.weight[0] ? std::array<std::uint8_t, 2>{1, 0} : std::array<std::uint8_t, 2>{0, 1};
    }
    [[nodiscard]] auto is_out_of_date(move const& m, std::uint8_t to) const -> bool {
        return cut_.side[m.v] != separator || locked_[m.v] != 0 || m.gain() != gain(m.v, to);
    }
    [[nodiscard]] auto too_heavy() const -> std::int64_t {
        return std::max<std::int64_t>(0, std::max(cut_.weight[0], cut_.weight[1]) - most_);
    }

    static constexpr std::uint8_t moved = 1, pulled_now = 2;
    static constexpr std::size_t patience = 120;

    weighted_graph const& g_;
    separation& cut_;
    std::int64_t most_;
    split_mix& random_;
    std::vector<std::uint8_t> locked_;
    std::vector<std::array<std::int64_t, 2>> pulled_;
    std::array<std::priority_queue<move>, 2> moves_;  // to each side; some are out of date
    std::vector<std::pair<vertex, std::uint8_t>> done_;
    std::vector<vertex> pulls_;
};

/// Grows one side from a vertex to half the weight, in the order of distance; what it touches then is the separator.
[[nodiscard]] inline auto grow_side(weighted_graph const& g, std::size_t from) -> separation {
    using vertex = weighted_graph::vertex;
    auto const n = g.size();
    separation cut{.side = std::vector<std::uint8_t>(n, 1)};
    auto const total = static_cast<std::int64_t>(g.total());
    std::vector<std::uint8_t> seen(n, 0);
    std::vector<vertex> reached;
    for (std::size_t next = 0, at = 0; 2 * cut.weight[0] < total; ++at) {
        while (at == reached.size()) {  // a component more
            auto const v = static_cast<vertex>((from + next++) % n);
            if (seen[v] != 0) continue;
            seen[v] = 1;
            reached.push_back(v);
        }
        auto const v = reached[at];
        cut.side[v] = 0;
        cut.weight[0] += g.weight[v];
        for (auto const u : g.neighbors(v)) {
            if (seen[u] != 0) continue;
            seen[u] = 1;
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

/// A small separator no side of which weighs more than `share` of the graph (if it can): found in a coarse graph, and
/// refined in finer and finer ones (multilevel: Hendrickson & Rothberg 1998). About O(m log n).
[[nodiscard]] inline auto multilevel_separator(weighted_graph const& g, double share, split_mix& random) -> separation {
    static constexpr std::size_t coarsest = 80, starts = 8;
    auto const most = static_cast<std::int64_t>(share * static_cast<double>(g.total()));
    if (g.size() > coarsest) {
        auto const coarser = coarsen(g, random);
        if (10 * coarser.graph.size() < 9 * g.size()) {
            auto const coarse = multilevel_separator(coarser.graph, share, random);
            separation cut{.side = {}, .weight = coarse.weight};
            cut.side.reserve(g.size());
            for (auto const part : coarser.part_of) cut.side.push_back(coarse.side[part]);
            separator_refinement(g, cut, most, random).run();
            return cut;
        }
    }
    separation best;
    for (std::size_t k = 0; k < starts; ++k) {
        auto cut = grow_side(g, random.below(g.size()));
        separator_refinement(g, cut, most, random).run();
        if (k == 0 || cut.cost() < best.cost()) best = std::move(cut);
    }
    return best;
}

}  // namespace repebble::inline v0::detail

#endif
