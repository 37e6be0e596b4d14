#ifndef REPEBBLE_ALLOCATE_DETAIL_POOLS_POOL_SEARCH_HPP
#define REPEBBLE_ALLOCATE_DETAIL_POOLS_POOL_SEARCH_HPP

// Branch and bound over the distributions of shapes over pools, in the order of time. A node is pruned where the bound
// of pool_prices, the regrets and the price of what it leaves free reach the traffic of the best plan; where a pool has
// too few bytes; and where shapes are together for which assign_offsets proved that they do not fit. What the rest of a
// search cost at least is remembered by the pools of the shapes that are still live (dynamic programming over time), so
// that a long table in which few shapes are live at once takes few steps.
// Invariant: bound() holds for every plan, whether or not the search came to its end.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <repebble/allocate/detail/pools/pool_prices.hpp>
#include <repebble/allocate/detail/pools/pool_table.hpp>
#include <repebble/detail/paced_stop.hpp>
#include <repebble/graph/detail/limit_test.hpp>
#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0::detail {

class pool_search {
  public:
    /// Searches for plans below a traffic. Refers to all of them.
    pool_search(pool_table const& table, pool_prices const& prices, offset_options const& options, limit_test& limit,
                double below)
        : table_(table),
          prices_(prices),
          options_(options),
          over_(limit),
          below_(below),
          order_(table.shape_count()),
          pool_of_(order_.size()),
          live_(table.capacities().size(), pool_table::load(table.section_count(), 0)),
          inside_(live_.size(), vertex_set(order_.size())),
          known_(order_.size()) {
        auto const capacities = table.capacities();
        for (std::size_t p = 0; p < capacities.size(); ++p)
            twin_.push_back(
                static_cast<std::size_t>(std::ranges::find(capacities, capacities[p]) - capacities.begin()));
        for (std::size_t s = 0; s < order_.size(); ++s) are_alike_ = are_alike_ && !table.is_required(s);
        sort_by_time();
    }

    /// O(pools) a step, and the sections of a shape; at most a thousand distributions get offsets.
    void run() { static_cast<void>(place_from(0, prices_.bound() + price_of_free(0, begins_.front()))); }
    [[nodiscard]] auto plan() && -> std::optional<pool_plan> { return std::move(plan_); }
    /// Lower bound on the traffic of every plan that was not found below the given one; infinite where there is none.
    [[nodiscard]] auto bound() const -> double { return open_; }

  private:
    static constexpr std::size_t most_steps = 200'000, most_leaves = 1000, most_states = 1'000'000, little_work = 50;
    static constexpr auto infinity = std::numeric_limits<double>::infinity();

    /// Shapes that do not fit into a pool together, nor into its twins.
    struct no_good {
        std::size_t twin;
        vertex_set shapes;
        bool is_proven;
    };
    struct branch {
        double regret;
        std::size_t pool;
        friend auto operator<(branch const& a, branch const& b) -> bool {
            return a.regret != b.regret ? a.regret < b.regret : a.pool < b.pool;
        }
    };

    void sort_by_time() {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        std::vector<std::pair<std::size_t, double>> key;
        for (auto const s : order_) key.emplace_back(table_.span_of(s).first, -table_.area(s));
        std::ranges::stable_sort(order_, [&](auto a, auto b) { return key[a] < key[b]; });
        for (auto const s : order_) begins_.push_back(key[s].first);
        begins_.push_back(table_.section_count());
        for (std::size_t k = 0; k < order_.size(); ++k) {
            rank_.resize(order_.size());
            rank_[order_[k]] = k;
            active_.emplace_back();
            if (k == 0) continue;
            for (auto const s : active_[k - 1])
                if (table_.span_of(s).second > begins_[k]) active_[k].push_back(s);
            if (table_.span_of(order_[k - 1]).second > begins_[k]) active_[k].push_back(order_[k - 1]);
        }
    }

    /// Places the shapes from number k of the order on, where the cost so far is at least `cost`; lower bound on what
    /// they add to it as far as live bytes tell.
    auto place_from(std::size_t k, double cost) -> double {
        if (k == order_.size()) {
            if (!is_too_dear(cost)) find_offsets(cost);
            return 0;
        }
        auto const state = state_of(k);
        auto const found = rest_.find(state);
        auto rest = found == rest_.end() ? 0 : found->second;
        if (is_too_dear(cost + rest)) return rest;
        if (is_over()) return open_ = std::min(open_, cost + rest), rest;
        double least = infinity;
        for (auto const& [regret, p] : branches_of(k)) least = std::min(least, regret + place(k, p, cost + regret));
        rest = std::max(rest, least);
        if (active_[k].size() < k && rest_.size() < most_states) rest_[state] = rest;
        return rest;
    }
    auto place(std::size_t k, std::size_t p, double cost) -> double {
        auto const s = order_[k];
        if (auto const* reason = reason_against(k, p)) {
            if (!reason->is_proven) open_ = std::min(open_, cost);
            return 0;
        }
        table_.add(live_[p], s, 1);
        inside_[p].insert(s);
        pool_of_[s] = p;
        auto const free = price_of_free(begins_[k], begins_[k + 1]);
        auto const rest = free + place_from(k + 1, cost + free);
        inside_[p].erase(s);
        table_.add(live_[p], s, -1);
        return rest;
    }
    /// The pools of a shape, the best first; of empty twins only the first.
    [[nodiscard]] auto branches_of(std::size_t k) const -> std::vector<branch> {
        std::vector<branch> all;
        for (std::size_t p = 0; p < live_.size(); ++p)
            if (!is_empty_twin(p) && table_.fits(live_[p], order_[k], p))
                all.push_back({prices_.regret(order_[k], p), p});
        std::sort(all.begin(), all.end());
        return all;
    }
    [[nodiscard]] auto is_empty_twin(std::size_t p) const -> bool {
        for (std::size_t q = 0; q < p; ++q)
            if (are_alike_ && inside_[p].empty() && inside_[q].empty() && twin_[q] == twin_[p] &&
                table_.costs()[q] == table_.costs()[p])
                return true;
        return false;
    }
    [[nodiscard]] auto reason_against(std::size_t k, std::size_t p) -> no_good const* {
        inside_[p].insert(order_[k]);
        auto const found = std::ranges::find_if(
            known_[k], [&](no_good const& n) { return n.twin == twin_[p] && n.shapes.is_subset_of(inside_[p]); });
        inside_[p].erase(order_[k]);
        return found == known_[k].end() ? nullptr : &*found;
    }

    void find_offsets(double cost) {
        ++leaves_;
        auto [plan, fits, is_proven] = table_.offsets_in(pool_of_, options_);
        static_cast<void>(over_.now());  // these may have taken long
        if (fits) {
            below_ = static_cast<double>(table_.cost(pool_of_));
            plan_ = std::move(plan);
            return;
        }
        auto const p = plan.heights.size() - 1;
        if (!is_proven) open_ = std::min(open_, cost);
        auto few = is_proven ? reduced(p) : inside_[p];
        std::size_t last = 0;
        few.for_each([&](std::size_t s) { last = std::max(last, rank_[s]); });
        known_[last].push_back({twin_[p], std::move(few), is_proven});
    }
    /// Fewer of the shapes of a pool that, provenly, do not fit together: halves, quarters and so on are left out.
    [[nodiscard]] auto reduced(std::size_t p) -> vertex_set {
        auto few = inside_[p];
        auto options = options_;
        options.limits.work = std::min<std::size_t>(little_work, options.limits.work.value_or(little_work));
        for (auto part = (few.size() + 1) / 2; part > 0; part = part == 1 ? 0 : (part + 1) / 2) {
            std::vector<std::size_t> members;
            few.for_each([&](std::size_t s) { members.push_back(s); });
            for (std::size_t begin = 0; begin < members.size() && !over_.now(); begin += part) {
                auto fewer = few;
                for (auto k = begin; k < std::min(begin + part, members.size()); ++k) fewer.erase(members[k]);
                auto const placed = table_.offsets_in(
                    p, [&](std::size_t s) { return fewer.contains(s); }, options);
                if (placed.plan.proof == offset_proof::none_exists) few = std::move(fewer);
            }
        }
        return few;
    }

    /// Whether a cost of whole numbers at or above `cost` is no improvement.
    [[nodiscard]] auto is_too_dear(double cost) const -> bool {
        return cost == infinity || cost - prices_.rounding() > below_ - 1;
    }
    [[nodiscard]] auto is_over() -> bool {
        ended_ = ended_ || ++steps_ > most_steps || leaves_ >= most_leaves || over_.after(16);
        return ended_;
    }
    [[nodiscard]] auto price_of_free(std::size_t first, std::size_t last) const -> double {
        double sum = 0;
        for (std::size_t p = 0; p < live_.size(); ++p) sum += prices_.price_of_free(live_[p], p, first, last);
        return sum;
    }
    [[nodiscard]] auto state_of(std::size_t k) const -> std::u32string {
        std::u32string state(1, static_cast<char32_t>(k));
        for (auto const s : active_[k]) state.push_back(static_cast<char32_t>(pool_of_[s]));
        return state;
    }

    pool_table const& table_;
    pool_prices const& prices_;
    offset_options const& options_;
    paced_stop<limit_test> over_;
    double below_;
    std::vector<std::size_t> order_, rank_{}, begins_{}, twin_{};
    std::vector<std::vector<std::size_t>> active_{};  // by number: the shapes before it that are live when it begins
    pool_table::distribution pool_of_;
    std::vector<pool_table::load> live_;       // by pool
    std::vector<vertex_set> inside_;           // by pool: its shapes
    std::vector<std::vector<no_good>> known_;  // by number of the last of the shapes
    std::unordered_map<std::u32string, double> rest_{};
    bool are_alike_ = true;  // no pool is required
    std::size_t steps_ = 0, leaves_ = 0;
    bool ended_ = false;
    double open_ = infinity;
    std::optional<pool_plan> plan_{};
};

}  // namespace repebble::inline v0::detail

#endif
