#ifndef REPEBBLE_DECOMPOSITION_DETAIL_EXACT_POSITIVE_INSTANCES_HPP
#define REPEBBLE_DECOMPOSITION_DETAIL_EXACT_POSITIVE_INSTANCES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <repebble/decomposition/detail/bits/small_bits.hpp>
#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/decomposition/width_decision.hpp>
#include <repebble/detail/thread_clock.hpp>

namespace repebble::inline v0::detail {

/// A part is a connected set of vertices without the root that has, with its neighbours, a tree decomposition of the
/// width wanted with a bag that holds those neighbours. Parts are built from parts below one bag, all bags being made
/// from a vertex v that is in no bag above: of the parts that v is next to, their neighbours, and those of v.
template <std::size_t Words>
class positive_instances {
  public:
    using vertex = undirected_graph::vertex;
    using bits = small_bits<Words>;

    /// Requires: k >= 1.
    positive_instances(undirected_graph const& g, std::size_t k, width_limits limits)
        : n_(g.vertex_count()), most_(k + 1), limits_(limits), around_(n_), unions_at_(n_) {
        for (vertex v = 0; v < n_; ++v) {
            all_.insert(v);
            for (auto const w : g.neighbors(v)) around_[v].insert(w);
            if (g.degree(v) > g.degree(root_)) root_ = v;
        }
        connect_all();
    }
    [[nodiscard]] auto run() -> width_decision {
        for (std::size_t v = 0; v < n_ && !over_; ++v) {
            auto bag = around_[v];
            bag.insert(v);
            offer(bag);
        }
        for (std::size_t next = 0; !found_ && !over_;) {
            if (!again_.empty()) {
                auto const bag = again_.back();
                again_.pop_back();
                examine(bag, false);
            } else if (next < parts_.size())
                combine(next++);
            else
                break;
        }
        if (found_) return {true, order()};
        return {over_ ? std::nullopt : std::optional(false), {}};
    }

  private:
    struct part {
        bits set, next, bag;  // `next` are its neighbours
    };
    struct part_union {
        bits set, next, common;  // `common` are neighbours of all its parts
    };

    /// By bridges, which make no treewidth of 1 or more larger.
    void connect_all() {
        std::vector<std::size_t> others;
        for_each_component(all_, [&](bits const& set) {
            if (!set.contains(root_)) others.push_back(set.lowest());
        });
        for (auto const v : others) {
            around_[v].insert(root_);
            around_[root_].insert(v);
        }
    }
    [[nodiscard]] auto neighbors(bits const& set) const -> bits {
        bits next;
        set.for_each([&](std::size_t v) { next |= around_[v]; });
        return next - set;
    }
    /// Calls with each component of what is in the set.
    template <class F>
    void for_each_component(bits rest, F const& f) const {
        while (!rest.empty()) {
            bits set, fresh;
            fresh.insert(rest.lowest());
            while (!fresh.empty()) {
                set |= fresh;
                bits next;
                fresh.for_each([&](std::size_t v) { next |= around_[v]; });
                fresh = (next & rest) - set;
            }
            rest -= set;
            f(set);
        }
    }
    void count_state() {
        ++states_;
        if (states_ > limits_.most_states) over_ = true;
        count_work(16);
    }
    void count_work(std::size_t steps) {
        constexpr std::size_t between_looks = 4096;
        work_ += steps;
        if (work_ < between_looks || !limits_.seconds) return;
        work_ = 0;
        over_ |= thread_clock::now() - begin_ > thread_clock::duration(*limits_.seconds);
    }
    void offer(bits const& bag) {
        if (found_ || over_ || bag.size() > most_ || !bags_.insert(bag).second) return;
        count_state();
        examine(bag, true);
    }
    /// Where one component is next to all that those components are next to which are no parts, what lies beyond its
    /// neighbours is a part, too.
    void examine(bits const& bag, bool is_new) {
        if (found_) return;
        beyond_.clear();
        bits wanted;  // neighbours of components that are no parts
        bool is_whole = true;
        for_each_component(all_ - bag, [&](bits const& set) {
            beyond_.emplace_back(set, neighbors(set));
            if (numbers_.contains(set)) return;
            is_whole = false;
            wanted |= beyond_.back().second;
            if (is_new && !set.contains(root_)) waiting_[set].push_back(bag);
        });
        if (is_whole) {
            found_ = bag;
            return;
        }
        if (bag.contains(root_)) wanted.insert(root_);
        for (auto const& [outside, outlet] : beyond_) {
            if (!(wanted - outlet).empty()) continue;
            auto inside = bag - outlet;
            for (auto const& [set, next] : beyond_)
                if (!(next - outlet).empty()) inside |= set;
            for_each_component(inside, [&](bits const& set) { add(set, bag); });
        }
    }
    void add(bits const& set, bits const& bag) {
        if (!numbers_.emplace(set, parts_.size()).second) return;
        count_state();
        auto const next = neighbors(set);
        parts_.push_back({set, next, bag & (set | next)});
        if (auto const found = waiting_.find(set); found != waiting_.end()) {
            again_.insert(again_.end(), found->second.begin(), found->second.end());
            waiting_.erase(found);
        }
    }
    /// With all unions of parts that it does not touch and has a neighbour in common with.
    void combine(std::size_t number) {
        auto const one = parts_[number];
        auto const closed = one.set | one.next;
        std::vector<part_union> made(1, {one.set, one.next, one.next});
        one.next.for_each([&](std::size_t v) {
            auto const mine = seen_from(v, one.set);
            count_work(unions_at_[v].size());
            if (over_) return;
            for (auto const& [seen, k] : unions_at_[v]) {
                if ((seen & mine) != 0) continue;
                auto const& other = unions_[k];
                if (other.set.meets(closed)) continue;
                auto const next = other.next | one.next;
                if (next.size() > most_) continue;
                auto const common = other.common & one.next;
                if (common.lowest() == v) made.push_back({other.set | one.set, next, common});
            }
        });
        for (auto const& u : made) add_union(u);
    }
    /// Which of the first 64 neighbours of v are in a set: most sets that meet can be told by these.
    [[nodiscard]] auto seen_from(std::size_t v, bits const& set) const -> std::uint64_t {
        std::uint64_t seen = 0;
        std::size_t k = 0;
        around_[v].for_each([&](std::size_t w) {
            if (k < 64 && set.contains(w)) seen |= std::uint64_t{1} << k;
            ++k;
        });
        return seen;
    }
    void add_union(part_union const& u) {
        if (found_ || over_) return;
        if (u.next.size() == most_) return offer(u.next);  // no other bag holds all of these
        if (!seen_unions_.insert(u.set).second) return;
        count_state();
        u.common.for_each([&](std::size_t v) { unions_at_[v].emplace_back(seen_from(v, u.set), unions_.size()); });
        unions_.push_back(u);
        u.common.for_each([&](std::size_t v) { offer(u.next | (around_[v] - u.set)); });
    }
    /// Bags from the root down, then turned round.
    [[nodiscard]] auto order() const -> elimination_order {
        elimination_order made;
        made.reserve(n_);
        std::vector<std::pair<bits, bits>> open(1, {all_, *found_});  // what is below a bag, and the bag
        while (!open.empty()) {
            auto const [set, bag] = open.back();
            open.pop_back();
            (set & bag).for_each([&](std::size_t v) { made.push_back(static_cast<vertex>(v)); });
            for_each_component(set - bag,
                               [&](bits const& child) { open.emplace_back(child, parts_[numbers_.at(child)].bag); });
        }
        std::ranges::reverse(made);
        return made;
    }

    std::size_t n_, most_;  // vertices of a bag
    width_limits limits_;
    thread_clock::time_point begin_ = thread_clock::now();
    vertex root_ = 0;
    bits all_;
    std::vector<bits> around_;
    std::vector<part> parts_;
    std::vector<part_union> unions_;
    std::vector<std::vector<std::pair<std::uint64_t, std::size_t>>> unions_at_;
    std::unordered_map<bits, std::size_t, typename bits::hash> numbers_;
    std::unordered_set<bits, typename bits::hash> bags_, seen_unions_;
    std::unordered_map<bits, std::vector<bits>, typename bits::hash> waiting_;  // bags that a part would serve
    std::vector<bits> again_;
    std::vector<std::pair<bits, bits>> beyond_;  // components without a bag, and their neighbours
    std::optional<bits> found_;
    std::size_t states_ = 0, work_ = 0;
    bool over_ = false;
};

}  // namespace repebble::inline v0::detail

#endif
