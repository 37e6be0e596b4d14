#ifndef REPEBBLE_ALLOCATE_DETAIL_POOLS_POOL_SEARCH_HPP
#define REPEBBLE_ALLOCATE_DETAIL_POOLS_POOL_SEARCH_HPP

// Branch and bound over the distributions of shapes over their listed routes, of all shapes or of some while the others
// stay (large neighbourhood search: Shaw 1998), in the order of time. A node is pruned where the bound of pool_prices,
// the regrets and the price of what it leaves free reach the traffic of the best distribution; where a pool has too few
// bytes; and where shapes are together for which assign_offsets proved that they do not fit. Before, dynamic
// programming over time finds what the rest costs at least, as far as live bytes tell, by the routes of the shapes that
// are still live: where few are, this is exact, and the search goes straight to what has least traffic. Invariant:
// after a search of all shapes bound() holds for every plan on listed routes, whether or not the search came to its
// end.

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
    /// What a search of some shapes may take, and whether a distribution needs offsets.
    struct effort {
        std::size_t steps = 300'000;
        std::size_t leaves = 1000;
        bool with_offsets = true;
    };

    /// Refers to all of them.
    pool_search(pool_table const& table, pool_prices const& prices, offset_options const& options, limit_test& limit)
        : table_(table),
          prices_(prices),
          options_(options),
          over_(limit),
          rank_(table.shape_count(), 0),
          route_of_(table.shape_count(), 0),
          live_(table.capacities().size(), pool_table::load(table.section_count(), 0)) {
        auto const capacities = table.capacities();
        for (std::size_t p = 0; p < capacities.size(); ++p)
            twin_.push_back(table.has_copies() ? p
                                               : static_cast<std::size_t>(std::ranges::find(capacities, capacities[p]) -
                                                                          capacities.begin()));
        are_alike_ = !table.has_copies();
        std::size_t items = 0;
        for (std::size_t s = 0; s < table.shape_count(); ++s) {
            are_alike_ = are_alike_ && !table.is_required(s);
            spans_.push_back(table.span_of(s));
            first_item_.push_back(items);
            items += table.route_count(s) - capacities.size() + 1;
        }
        inside_.assign(live_.size(), vertex_set(items));
    }

    /// Searches all distributions for one below a traffic. O(routes) a step, and the sections of a shape.
    void run(std::optional<std::int64_t> below, effort const& most) {
        std::vector<std::size_t> all(table_.shape_count());
        std::iota(all.begin(), all.end(), std::size_t{0});
        begin(std::move(all), below, most);
        begins_.back() = table_.section_count();
        auto const cost = prices_.bound() + price_of_free(0, begins_.front());
        look_ahead(cost);
        static_cast<void>(place_from(0, cost));
    }
    /// Puts all shapes where a distribution has them.
    void start_at(pool_table::distribution const& route_of) {
        for (std::size_t s = 0; s < route_of.size(); ++s) put(s, route_of[s]);
    }
    /// After start_at: searches for other routes of some shapes, each of which is live at a time, that have less
    /// traffic than all have now, and puts them there; whether there are any.
    auto improve(std::vector<std::size_t> free, effort const& most) -> bool {
        auto cost = static_cast<double>(table_.cost(route_of_));
        begin(std::move(free), table_.cost(route_of_), most);
        cost -= price_of_free(begins_.front(), begins_.back());
        for (auto const s : order_) cost -= prices_.regret(s, route_of_[s]);
        auto const before = route_of_;
        for (auto const s : order_) take(s);
        look_ahead(cost);
        static_cast<void>(place_from(0, cost));
        auto const& after = best_ ? *best_ : before;
        for (auto const s : order_) put(s, after[s]);
        return best_.has_value();
    }

    /// The best distribution of the last search, and its plan, where it needed offsets; nullopt: it found none.
    [[nodiscard]] auto best() const -> std::optional<pool_table::distribution> const& { return best_; }
    [[nodiscard]] auto plan() const -> std::optional<pool_plan> const& { return plan_; }
    /// Where all shapes are now.
    [[nodiscard]] auto now() const -> pool_table::distribution const& { return route_of_; }
    /// Lower bound on the traffic of every plan that `run` did not find below the given one; infinite: there is none.
    [[nodiscard]] auto bound() const -> double { return open_; }

  private:
    static constexpr std::size_t most_states = 1'000'000, least_labels = 100, most_active = 64, little_work = 50;
    static constexpr auto infinity = std::numeric_limits<double>::infinity();

    /// Shapes on routes, by `item`, that do not fit into a pool together, nor into its twins.
    struct no_good {
        std::size_t twin;
        vertex_set items;
        bool is_proven;
    };
    struct branch {
        double dearer;  // than the best one
        std::size_t route;
        friend auto operator<(branch const& a, branch const& b) -> bool {
            return a.dearer < b.dearer || (!(b.dearer < a.dearer) && a.route < b.route);
        }
    };

    void begin(std::vector<std::size_t> free, std::optional<std::int64_t> below, effort const& most) {
        order_ = std::move(free);
        least_ = below;
        most_ = most;
        best_.reset();
        plan_.reset();
        rest_.clear();
        known_.assign(order_.size(), {});
        steps_ = leaves_ = 0;
        ended_ = false;
        open_ = infinity;
        sort_by_time();
    }
    void sort_by_time() {
        std::ranges::stable_sort(order_, [&](auto a, auto b) {
            if (spans_[a].first != spans_[b].first) return spans_[a].first < spans_[b].first;
            return table_.area(a) > table_.area(b);
        });
        begins_.clear();
        active_.assign(order_.size(), {});
        std::size_t end = 0;
        for (std::size_t k = 0; k < order_.size(); ++k) {
            rank_[order_[k]] = k;
            begins_.push_back(spans_[order_[k]].first);
            end = std::max(end, spans_[order_[k]].second);
            if (k == 0) continue;
            active_[k] = active_[k - 1];
            active_[k].push_back(order_[k - 1]);
            std::erase_if(active_[k], [&](std::size_t s) { return spans_[s].second <= begins_[k]; });
        }
        begins_.push_back(end);
    }

    /// The routes of the shapes that are live when number k begins, the least cost up to there and after it, and what
    /// placing number k leads to: costs, and labels of the next number.
    struct label {
        std::u32string state;
        double cost;
        double rest = infinity;
        std::vector<std::pair<double, std::size_t>> next{};
    };
    /// Finds `rest_` by labels, from the first number to the last and back. Of each number the best labels are kept:
    /// what was dropped, or is too dear, costs nothing after that.
    void look_ahead(double cost) {
        std::vector<std::vector<label>> labels{{{.state = state_of(0), .cost = cost}}};
        auto const most = std::max<std::size_t>(least_labels, most_.steps / (order_.size() + 1));
        for (std::size_t k = 0; k < order_.size() && is_narrow(k + 1) && !over_.after(labels[k].size()); ++k) {
            std::vector<label> next;
            std::unordered_map<std::u32string, std::size_t> number;
            for (auto& from : labels[k]) expand(k, from, next, number);
            drop_all_but(most, labels[k], next);
            labels.push_back(std::move(next));
        }
        for (auto& last : labels.back()) last.rest = 0;
        for (auto k = labels.size(); k-- > 0;)
            for (auto& from : labels[k]) {
                for (auto const& [edge, to] : from.next) from.rest = std::min(from.rest, edge + labels[k + 1][to].rest);
                rest_[from.state] = from.rest;
            }
    }
    void expand(std::size_t k, label& from, std::vector<label>& next,
                std::unordered_map<std::u32string, std::size_t>& number) {
        for (std::size_t i = 0; i < active_[k].size(); ++i) put(active_[k][i], from.state[i + 1]);
        for (auto const& [dearer, r] : branches_of(k)) {
            put(order_[k], r);
            auto const edge = dearer + price_of_free(begins_[k], begins_[k + 1]);
            if (is_too_dear(from.cost + edge)) {
                from.rest = std::min(from.rest, edge);
            } else {
                auto const [at, is_new] = number.try_emplace(state_of(k + 1), next.size());
                if (is_new) next.push_back({.state = at->first, .cost = infinity});
                next[at->second].cost = std::min(next[at->second].cost, from.cost + edge);
                from.next.emplace_back(edge, at->second);
            }
            take(order_[k]);
        }
        for (auto const s : active_[k]) take(s);
    }
    /// Drops the dearest labels.
    static void drop_all_but(std::size_t most, std::vector<label>& labels, std::vector<label>& next) {
        if (next.size() <= most) return;
        std::vector<double> costs;
        for (auto const& to : next) costs.push_back(to.cost);
        std::ranges::nth_element(costs, costs.begin() + static_cast<std::ptrdiff_t>(most));
        auto const limit = costs[most];
        std::vector<std::size_t> number;
        std::vector<label> kept;
        for (auto& to : next) {
            number.push_back(to.cost < limit ? kept.size() : most);
            if (to.cost < limit) kept.push_back(std::move(to));
        }
        for (auto& from : labels) {
            for (auto& [edge, to] : from.next) {
                to = number[to];
                if (to == most) from.rest = std::min(from.rest, edge);
            }
            std::erase_if(from.next, [&](auto const& edge) { return edge.second == most; });
        }
        next = std::move(kept);
    }

    /// Places the shapes from number k of the order on, where the cost so far is at least `cost`; lower bound on what
    /// they add to it as far as live bytes tell.
    auto place_from(std::size_t k, double cost) -> double {
        if (k == order_.size()) {
            if (!is_too_dear(cost) && (!least_ || table_.cost(route_of_) < *least_)) find_offsets(cost);
            return 0;
        }
        auto rest = known_rest(k);
        if (is_too_dear(cost + rest)) return rest;
        if (is_over()) return open_ = std::min(open_, cost + rest), rest;
        auto branches = branches_of(k);
        for (auto& [dearer, r] : branches) dearer += rest_after(k, r);
        std::sort(branches.begin(), branches.end());
        double least = infinity;
        for (auto const& next : branches) {
            auto const regret = prices_.regret(order_[k], next.route);
            least = std::min(least, regret + place(k, next.route, cost + regret));
        }
        rest = std::max(rest, least);
        if (is_narrow(k) && active_[k].size() < k && rest_.size() < most_states) rest_[state_of(k)] = rest;
        return rest;
    }
    /// Whether few shapes are live when number k begins.
    [[nodiscard]] auto is_narrow(std::size_t k) const -> bool {
        return k == order_.size() || active_[k].size() <= most_active;
    }
    [[nodiscard]] auto known_rest(std::size_t k) const -> double {
        if (!is_narrow(k)) return 0;
        auto const found = rest_.find(state_of(k));
        return found == rest_.end() ? 0 : found->second;
    }
    /// The cost as far as it is known after number k takes a route.
    [[nodiscard]] auto rest_after(std::size_t k, std::size_t r) -> double {
        put(order_[k], r);
        auto const rest = price_of_free(begins_[k], begins_[k + 1]) + known_rest(k + 1);
        take(order_[k]);
        return rest;
    }
    auto place(std::size_t k, std::size_t r, double cost) -> double {
        auto const s = order_[k];
        if (auto const* reason = reason_against(k, r)) {
            if (!reason->is_proven) open_ = std::min(open_, cost);
            return 0;
        }
        put(s, r);
        auto const free = price_of_free(begins_[k], begins_[k + 1]);
        auto const rest = free + place_from(k + 1, cost + free);
        take(s);
        return rest;
    }
    /// The routes of a shape; of empty twins only the first.
    [[nodiscard]] auto branches_of(std::size_t k) const -> std::vector<branch> {
        std::vector<branch> all;
        auto const s = order_[k];
        for (std::size_t r = 0; r < table_.route_count(s); ++r)
            if (!is_empty_twin(r) && table_.fits(live_, s, r)) all.push_back({prices_.regret(s, r), r});
        return all;
    }
    [[nodiscard]] auto is_empty_twin(std::size_t p) const -> bool {
        for (std::size_t q = 0; are_alike_ && q < p; ++q)
            if (inside_[p].empty() && inside_[q].empty() && twin_[q] == twin_[p] &&
                table_.costs()[q] == table_.costs()[p])
                return true;
        return false;
    }
    [[nodiscard]] auto reason_against(std::size_t k, std::size_t r) -> no_good const* {
        no_good const* reason = nullptr;
        auto const i = item(order_[k], r);
        table_.for_each_pool(order_[k], r, [&](std::size_t p) {
            inside_[p].insert(i);
            for (auto const& n : known_[k])
                if (!reason && n.twin == twin_[p] && n.items.is_subset_of(inside_[p])) reason = &n;
            inside_[p].erase(i);
        });
        return reason;
    }

    /// A number of a shape on a route: all its lives in one pool have the same.
    [[nodiscard]] auto item(std::size_t s, std::size_t r) const -> std::size_t {
        return first_item_[s] + (r < live_.size() ? 0 : r - live_.size() + 1);
    }
    void put(std::size_t s, std::size_t r) {
        table_.add(live_, s, r, 1);
        table_.for_each_pool(s, r, [&](std::size_t p) { inside_[p].insert(item(s, r)); });
        route_of_[s] = r;
    }
    void take(std::size_t s) {
        auto const r = route_of_[s];
        table_.for_each_pool(s, r, [&](std::size_t p) { inside_[p].erase(item(s, r)); });
        table_.add(live_, s, r, -1);
    }

    void take_distribution() {
        best_ = route_of_;
        least_ = table_.cost(route_of_);
    }
    void find_offsets(double cost) {
        if (!most_.with_offsets) return take_distribution();
        ++leaves_;
        auto found = table_.offsets_in(route_of_, options_);
        static_cast<void>(over_.now());  // these may have taken long
        if (found.fits) {
            plan_ = table_.plan_of(std::move(found));
            return take_distribution();
        }
        auto const p = found.heights.size() - 1;
        if (!found.is_proven) open_ = std::min(open_, cost);
        auto few = found.is_proven ? reduced(p) : inside_[p];
        std::size_t last = 0;
        for (auto const s : order_)
            if (few.contains(item(s, route_of_[s]))) last = std::max(last, rank_[s]);
        known_[last].push_back({twin_[p], std::move(few), found.is_proven});
    }
    /// Fewer of the shapes in a pool that, provenly, do not fit together: halves, quarters and so on are left out.
    [[nodiscard]] auto reduced(std::size_t p) -> vertex_set {
        auto few = inside_[p];
        auto options = options_;
        options.limits.work = std::min<std::size_t>(little_work, options.limits.work.value_or(little_work));
        for (auto part = (few.size() + 1) / 2; part > 0; part = part == 1 ? 0 : (part + 1) / 2) {
            std::vector<std::size_t> members;
            for (auto const s : order_)
                if (few.contains(item(s, route_of_[s]))) members.push_back(s);
            for (std::size_t begin = 0; begin < members.size() && !over_.now(); begin += part) {
                auto fewer = few;
                for (auto k = begin; k < std::min(begin + part, members.size()); ++k)
                    fewer.erase(item(members[k], route_of_[members[k]]));
                auto const placed = table_.offsets_in(
                    p, route_of_, [&](std::size_t s) { return fewer.contains(item(s, route_of_[s])); }, options);
                if (placed.plan.proof == offset_proof::none_exists) few = std::move(fewer);
            }
        }
        return few;
    }

    /// Whether a cost of whole numbers at or above `cost` is no improvement.
    [[nodiscard]] auto is_too_dear(double cost) const -> bool {
        auto const below = least_ ? static_cast<double>(*least_) : infinity;
        return cost >= infinity || cost - prices_.rounding() > below - 1;
    }
    [[nodiscard]] auto is_over() -> bool {
        ended_ = ended_ || ++steps_ > most_.steps || leaves_ >= most_.leaves || over_.after(16);
        return ended_;
    }
    [[nodiscard]] auto price_of_free(std::size_t first, std::size_t last) const -> double {
        double sum = 0;
        for (std::size_t p = 0; p < live_.size(); ++p) sum += prices_.price_of_free(live_[p], p, first, last);
        return sum;
    }
    [[nodiscard]] auto state_of(std::size_t k) const -> std::u32string {
        std::u32string state(1, static_cast<char32_t>(k));
        if (k < order_.size())
            for (auto const s : active_[k])
                state.push_back(static_cast<char32_t>(table_.route_from(s, route_of_[s], begins_[k])));
        return state;
    }

    pool_table const& table_;
    pool_prices const& prices_;
    offset_options const& options_;
    paced_stop<limit_test> over_;
    effort most_{};
    std::optional<std::int64_t> least_{};          // traffic that a distribution must be below, exactly
    std::vector<std::size_t> order_{}, begins_{};  // the shapes to place by time, and their first sections
    std::vector<std::size_t> rank_, twin_{};       // of a shape: its number in the order; of a pool: one of its size
    std::vector<std::size_t> first_item_{};        // of a shape
    std::vector<std::pair<std::size_t, std::size_t>> spans_{};
    std::vector<std::vector<std::size_t>> active_{};  // by number: the shapes before it that are live when it begins
    pool_table::distribution route_of_;
    std::vector<pool_table::load> live_;         // by pool
    std::vector<vertex_set> inside_{};           // by pool: its shapes on their routes
    std::vector<std::vector<no_good>> known_{};  // by number of the last of the shapes
    std::unordered_map<std::u32string, double> rest_{};
    bool are_alike_ = true;  // no pool is required
    std::size_t steps_ = 0, leaves_ = 0;
    bool ended_ = false;
    double open_ = infinity;
    std::optional<pool_table::distribution> best_{};
    std::optional<pool_plan> plan_{};
};

}  // namespace repebble::inline v0::detail

#endif
