#ifndef REPEBBLE_TESTS_SUPPORT_NAIVE_POOLS_HPP
#define REPEBBLE_TESTS_SUPPORT_NAIVE_POOLS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/pool_plan.hpp>

#include "support/generators.hpp"
#include "support/naive_offsets.hpp"

// Small tables of buffers for pools of memory, and their answers by definition: every distribution is tried.

namespace support {

/// Buffers, pools and what is asked of them.
struct pool_case {
    std::vector<repebble::buffer> buffers{};
    std::vector<repebble::bytes> capacities{};
    std::vector<std::optional<std::size_t>> required{};
    std::vector<std::int64_t> traffic{};
    std::vector<std::int64_t> costs{};
    std::vector<std::vector<repebble::pool_access>> accesses{};
};

/// A case of up to seven buffers, with alignments, gaps, aliases, pins and required pools, and of two or three pools.
[[nodiscard]] inline auto random_pool_case(split_mix& random) -> pool_case {
    pool_case made;
    auto const count = 1 + below(random, 7);
    bool const gaps = chance(random, 50);
    made.buffers = random_arena(random, count, 5, 6,
                                {.aligned_percent = 20, .pinned_percent = 8, .alias_percent = 15, .gaps = gaps});
    auto const pools = 2 + below(random, 2);
    for (std::size_t p = 0; p < pools; ++p) {
        made.capacities.push_back(between(random, 0, 14));
        made.costs.push_back(between(random, 0, 3));
    }
    for (auto const& b : made.buffers) {
        made.traffic.push_back(between(random, 0, 9));
        made.required.emplace_back();
        if (b.pinned || (!b.alias_of && chance(random, 8))) made.required.back() = below(random, pools);
    }
    return made;
}

/// The least traffic of all plans of a case, each buffer's bytes times the cost of its pool; nothing: there is no plan.
[[nodiscard]] inline auto least_traffic(pool_case const& of) -> std::optional<std::int64_t> {
    auto const n = of.buffers.size();
    std::vector<std::size_t> roots;
    for (std::size_t i = 0; i < n; ++i)
        if (!of.buffers[i].alias_of) roots.push_back(i);
    std::vector<std::optional<repebble::bytes>> height(std::size_t{1} << roots.size());
    auto const members = [&](std::size_t set) {
        std::vector<std::size_t> all;
        for (std::size_t i = 0; i < n; ++i) {
            auto const root = std::ranges::find(roots, of.buffers[i].alias_of.value_or(i)) - roots.begin();
            if ((set >> root & 1U) != 0) all.push_back(i);
        }
        return all;
    };
    auto const height_of = [&](std::size_t set) {
        if (height[set]) return *height[set];
        std::vector<repebble::buffer> chosen;
        std::vector<std::size_t> at(n);
        for (auto const i : members(set)) {
            at[i] = chosen.size();
            chosen.push_back(of.buffers[i]);
        }
        for (auto& b : chosen)
            if (b.alias_of) b.alias_of = at[*b.alias_of];
        height[set] = naive_planner(chosen, 5).least_height();
        return *height[set];
    };
    auto const cost = [&](std::size_t set, std::size_t p) -> std::optional<std::int64_t> {
        std::int64_t sum = 0;
        for (auto const i : members(set)) {
            if (of.required[i].value_or(p) != p) return std::nullopt;
            sum += of.traffic[i] * of.costs[p];
        }
        if (height_of(set) > of.capacities[p]) return std::nullopt;
        return sum;
    };
    // Least costs of the sets in the first pools, one pool after the other.
    std::vector<std::optional<std::int64_t>> least(height.size());
    least[0] = 0;
    for (std::size_t p = 0; p < of.capacities.size(); ++p) {
        std::vector<std::optional<std::int64_t>> next(height.size());
        for (std::size_t in = 0; in < height.size(); ++in) {
            auto const own = cost(in, p);
            if (!own) continue;
            for (std::size_t before = 0; before < height.size(); ++before)
                if ((before & in) == 0 && least[before])
                    next[before | in] =
                        std::min(next[before | in].value_or(*least[before] + *own), *least[before] + *own);
        }
        least = std::move(next);
    }
    return least.back();
}

/// A case of up to five buffers with accesses, most of them longer; some have gaps, pins, aliases or required pools.
[[nodiscard]] inline auto random_copying_case(split_mix& random) -> pool_case {
    auto made = random_pool_case(random);
    made.traffic.clear();
    made.required.resize(std::min<std::size_t>(made.buffers.size(), 2));
    made.buffers.resize(made.required.size());
    for (auto& b : made.buffers)
        if (b.alias_of >= made.buffers.size()) b.alias_of.reset();
    for (auto more = between(random, 1, 3); more > 0; --more) {
        auto const lower = between(random, 0, 3);
        made.buffers.push_back({.lifetime = {lower, between(random, lower + 1, 5)},
                                .size = between(random, 1, 4),
                                .alignment = between(random, 1, 2)});
        made.required.emplace_back();
    }
    for (auto const& b : made.buffers) {
        made.accesses.emplace_back();
        for (auto t = b.lifetime.lower; t < b.lifetime.upper; ++t)
            for (auto k = between(random, 0, 2); k > 0; --k)
                made.accesses.back().push_back({t, b.size * between(random, 1, 3)});
    }
    return made;
}

/// The least traffic of all plans with copies: each buffer lies in a pool in each step, and where that of the next one
/// is another it lies there, too.
class naive_copies {
  public:
    explicit naive_copies(pool_case const& of)
        : of_(of), live_(of.capacities.size(), std::vector<repebble::bytes>(times)) {
        for (auto const& accesses : of.accesses)
            for (auto const& a : accesses) may_copy_[static_cast<std::size_t>(a.time)] = true;
        for (std::size_t i = 0; i < of.buffers.size(); ++i)
            if (!of.buffers[i].alias_of) choices_.push_back(choices_of(i));
    }
    [[nodiscard]] auto least() -> std::optional<std::int64_t> {
        chosen_.clear();
        choose(0, 0);
        return least_;
    }

  private:
    static constexpr std::size_t times = 5;
    struct member {
        std::size_t pool, buffer;
        repebble::interval during;
    };
    struct choice {
        std::int64_t cost;
        std::vector<member> members;
    };

    [[nodiscard]] auto moved(std::size_t i, std::int64_t time) const -> std::int64_t {
        std::int64_t sum = 0;
        for (auto const& a : of_.accesses[i]) sum += a.time == time ? a.traffic : 0;
        return sum;
    }
    [[nodiscard]] auto choices_of(std::size_t root) const -> std::vector<choice> {
        std::vector<std::size_t> group;
        for (std::size_t i = 0; i < of_.buffers.size(); ++i)
            if (i == root || of_.buffers[i].alias_of == root) group.push_back(i);
        auto const& b = of_.buffers[root];
        bool tied = group.size() > 1 || b.pinned || !b.gaps.empty() || b.size == 0 || b.lifetime.empty();
        std::vector<choice> all;
        for (std::size_t p = 0; p < of_.capacities.size(); ++p) {
            choice in{0, {}};
            bool allowed = true;
            for (auto const i : group) {
                tied = tied || of_.required[i];
                allowed = allowed && of_.required[i].value_or(p) == p;
                for (auto const& a : of_.accesses[i]) in.cost += a.traffic * of_.costs[p];
                in.members.push_back({p, i, of_.buffers[i].lifetime});
            }
            if (allowed) all.push_back(in);
        }
        if (tied) return all;
        all.clear();
        for (std::size_t p = 0; p < of_.capacities.size(); ++p)
            follow(root, b.lifetime.lower, {0, {{p, root, b.lifetime}}}, all);
        return all;
    }
    void follow(std::size_t i, std::int64_t time, choice made, std::vector<choice>& all) const {
        auto const pool = made.members.back().pool;
        made.cost += moved(i, time) * of_.costs[pool];
        if (time + 1 == of_.buffers[i].lifetime.upper) return all.push_back(made);
        follow(i, time + 1, made, all);
        for (std::size_t q = 0; may_copy_[static_cast<std::size_t>(time)] && q < of_.capacities.size(); ++q) {
            if (q == pool) continue;
            auto next = made;
            next.cost += of_.buffers[i].size * (of_.costs[pool] + of_.costs[q]);
            next.members.back().during.upper = time + 1;
            next.members.push_back({q, i, {time, of_.buffers[i].lifetime.upper}});
            follow(i, time + 1, next, all);
        }
    }
    void choose(std::size_t k, std::int64_t cost) {
        if (least_ && cost >= *least_) return;
        if (k == choices_.size()) {
            if (fits()) least_ = cost;
            return;
        }
        for (auto const& c : choices_[k]) {
            add(c, 1);
            if (within()) {
                chosen_.push_back(&c);
                choose(k + 1, cost + c.cost);
                chosen_.pop_back();
            }
            add(c, -1);
        }
    }
    /// The live bytes of what is no alias.
    void add(choice const& c, std::int64_t sign) {
        for (auto const& m : c.members) {
            auto part = of_.buffers[m.buffer];
            if (part.alias_of) continue;
            part.lifetime = m.during;
            part.for_each_piece([&](repebble::buffer_piece const& p) {
                for (auto t = p.lifetime.lower; t < p.lifetime.upper; ++t)
                    live_[m.pool][static_cast<std::size_t>(t)] += sign * (p.bytes.upper - p.bytes.lower);
            });
        }
    }
    [[nodiscard]] auto within() const -> bool {
        for (std::size_t p = 0; p < live_.size(); ++p)
            if (std::ranges::max(live_[p]) > of_.capacities[p]) return false;
        return true;
    }
    [[nodiscard]] auto fits() -> bool {
        for (std::size_t p = 0; p < of_.capacities.size(); ++p) {
            std::vector<std::int64_t> key;
            std::vector<repebble::buffer> members;
            std::vector<std::size_t> at(of_.buffers.size());
            for (auto const* c : chosen_)
                for (auto const& m : c->members) {
                    if (m.pool != p) continue;
                    key.insert(key.end(), {static_cast<std::int64_t>(m.buffer), m.during.lower, m.during.upper});
                    at[m.buffer] = members.size();
                    members.push_back(of_.buffers[m.buffer]);
                    members.back().lifetime = m.during;
                }
            for (auto& b : members)
                if (b.alias_of) b.alias_of = at[*b.alias_of];
            auto const [found, is_new] = heights_.try_emplace(key, 0);
            if (is_new) found->second = naive_planner(members, times).least_height();
            if (found->second > of_.capacities[p]) return false;
        }
        return true;
    }

    pool_case const& of_;
    std::vector<bool> may_copy_ = std::vector<bool>(times);
    std::vector<std::vector<choice>> choices_{};
    std::vector<std::vector<repebble::bytes>> live_;  // by pool and time
    std::vector<choice const*> chosen_{};
    std::map<std::vector<std::int64_t>, repebble::bytes> heights_{};
    std::optional<std::int64_t> least_{};
};

}  // namespace support

#endif
