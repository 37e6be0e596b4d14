#ifndef REPEBBLE_IMPL_ALLOCATE_ASSIGN_POOLS_IPP
#define REPEBBLE_IMPL_ALLOCATE_ASSIGN_POOLS_IPP

#include <repebble/allocate/assign_pools.hpp>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include <repebble/allocate/detail/pools/greedy_pools.hpp>
#include <repebble/allocate/detail/pools/pool_prices.hpp>
#include <repebble/allocate/detail/pools/pool_search.hpp>
#include <repebble/allocate/detail/pools/pool_table.hpp>
#include <repebble/allocate/detail/pools/pool_windows.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/detail/limit_test.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0::detail {

/// Less work for each of the many plans of offsets that a search for little traffic makes of many buffers.
[[nodiscard]] inline auto for_many_plans(offset_options options, std::size_t buffers) -> offset_options {
    constexpr std::size_t few = 16, share = 50;
    if (buffers > few) options.limits.work = options.limits.work.value_or(offset_options::default_work) / share;
    return options;
}

/// Runs the planners one after the other and keeps the best plan.
class pool_planner {
  public:
    /// Refers to all of them.
    pool_planner(pool_table& table, offset_options const& options, limit_test& limit)
        : table_(table), options_(options), limit_(limit), greedy_(table, options, limit), prices_(table) {}

    /// The first plan that is found, or that there is none.
    [[nodiscard]] auto find_any(bool has_priorities) && -> pool_result {
        if (has_priorities) fill_by_size(true);
        if (!found_.plan) fill_by_size(false);
        if (!found_.plan) search();
        return std::move(found_);
    }
    /// A plan of little traffic, and a bound.
    [[nodiscard]] auto find_least(bool has_priorities) && -> pool_result {
        fill(false, [&](std::size_t s) { return traffic_by(s, static_cast<double>(table_.size(s))); });
        fill(false, [&](std::size_t s) { return traffic_by(s, table_.area(s)); });
        if (has_priorities || !found_.plan) fill_by_size(has_priorities);
        raise_bound();
        if (!is_least()) fill(false, [&](std::size_t s) { return traffic_by(s, prices_.price(s, 0)); });
        if (!is_least() && table_.has_copies()) fill(by_traffic_and_area(), prices_.best_routes());
        if (!is_least()) improve();
        if (!is_least()) search();
        return std::move(found_);
    }

  private:
    [[nodiscard]] auto traffic_by(std::size_t s, double amount) const -> double {
        return amount > 0 ? static_cast<double>(table_.traffic(s)) / amount : std::numeric_limits<double>::infinity();
    }
    template <class Key>
    void fill(bool by_priority, Key const& key) {
        fill(greedy_.order_by(by_priority, key), pool_table::distribution(table_.shape_count(), 0));
    }
    void fill(std::vector<std::size_t> const& order, pool_table::distribution const& first_route) {
        if (auto found = greedy_.fill(order, first_route)) keep(found->route_of, std::move(found->plan));
    }
    [[nodiscard]] auto by_traffic_and_area() const -> std::vector<std::size_t> {
        return greedy_.order_by(false, [&](std::size_t s) { return traffic_by(s, table_.area(s)); });
    }
    /// The orders that ask for no traffic, until one has a plan.
    void fill_by_size(bool by_priority) {
        auto const size = [&](std::size_t s) { return static_cast<double>(table_.size(s)); };
        auto const length = [&](std::size_t s) { return table_.length(s); };
        fill(by_priority, size);
        if (!found_.plan) fill(by_priority, [&](std::size_t s) { return table_.area(s); });
        if (!found_.plan) fill(by_priority, length);
        if (!found_.plan) fill(by_priority, [&](std::size_t s) { return -length(s); });
    }
    void raise_bound() {
        auto const dearest = [&] {
            double sum = 0;
            for (std::size_t s = 0; s < table_.shape_count(); ++s)
                sum += static_cast<double>(table_.cost(s, table_.costs().size() - 1));
            return sum;
        };
        prices_.ascend(found_.plan ? static_cast<double>(found_.traffic) : dearest(), [&] { return limit_(); });
        found_.traffic_bound = prices_.traffic_above(prices_.bound());
    }
    /// Improves the plan in windows of time, first as far as live bytes tell: what does not get offsets then moves on.
    void improve() {
        constexpr std::size_t least_shapes = 32, most_shapes = 20'000;
        auto const count = table_.shape_count();
        if (!found_.plan || count < least_shapes || count > most_shapes) return;
        std::size_t routes = 0;  // a step takes as long as there are of them
        for (std::size_t s = 0; s < count; ++s) routes += table_.route_count(s);
        auto const steps = 3000 * count * table_.capacities().size() / routes;
        pool_windows const windows(table_, prices_);
        auto const stop = [&] { return limit_() || is_least(); };
        pool_search by_bytes(table_, prices_, options_, limit_);
        by_bytes.start_at(found_routes_);
        windows.improve(by_bytes, {.steps = steps, .with_offsets = false}, stop, [] {});
        fill(by_traffic_and_area(), by_bytes.now());
        pool_search with_offsets(table_, prices_, options_, limit_);
        with_offsets.start_at(found_routes_);
        windows.improve(with_offsets, {.steps = steps, .leaves = 2}, stop,
                        [&] { keep(*with_offsets.best(), *with_offsets.plan()); });
    }
    void search() {
        constexpr std::size_t most_shapes = 2000;
        if (table_.shape_count() > most_shapes || limit_()) return;
        auto const below = found_.plan ? std::optional(found_.traffic) : std::nullopt;
        pool_search search(table_, prices_, options_, limit_);
        pool_search::effort most{.leaves = table_.shape_count() > 64 ? 100U : 1000U};
        if (!table_.lists_all_routes()) most = {.steps = 5000, .leaves = 20};  // it can prove nothing
        search.run(below, most);
        auto const bound = search.bound();
        if (search.plan()) keep(*search.best(), *search.plan());
        if (!table_.lists_all_routes()) {
        } else if (!found_.plan && bound >= std::numeric_limits<double>::infinity()) {
            found_ = {.none_exists = true};
        } else {
            found_.traffic_bound = std::max(found_.traffic_bound, prices_.traffic_above(bound));
        }
        if (found_.plan) found_.traffic_bound = std::min(found_.traffic_bound, found_.traffic);
    }
    void keep(pool_table::distribution const& route_of, pool_plan plan) {
        auto const traffic = table_.cost(route_of);
        if (found_.plan && found_.traffic <= traffic) return;
        found_.plan = std::move(plan);
        found_.traffic = traffic;
        found_routes_ = route_of;
    }
    [[nodiscard]] auto is_least() const -> bool { return found_.plan && found_.traffic == found_.traffic_bound; }

    pool_table& table_;
    offset_options const& options_;
    limit_test& limit_;
    greedy_pools greedy_;
    pool_prices prices_;
    pool_result found_{};
    pool_table::distribution found_routes_{};
};

/// A plan without copies, in half the time, with the stays of one with them.
[[nodiscard]] inline auto assign_without_copies(std::span<buffer const> buffers, std::span<bytes const> capacities,
                                                pool_options options) -> pool_result {
    std::vector<std::int64_t> traffic(buffers.size(), 0);
    for (std::size_t i = 0; i < buffers.size(); ++i)
        for (auto const& a : options.accesses[i]) traffic[i] += a.traffic;
    options.accesses = {};
    options.traffic = traffic;
    if (auto& seconds = options.offsets.limits.seconds) *seconds /= 2;
    auto found = assign_pools(buffers, capacities, options);
    for (std::size_t i = 0; found.plan && i < buffers.size(); ++i)
        found.plan->stays.push_back({{found.plan->pool_of[i], found.plan->offsets[i], buffers[i].lifetime}});
    return found;
}

/// The same with the pools in the order of their costs, so that earlier ones are better.
[[nodiscard]] inline auto assign_by_cost(std::span<buffer const> buffers, std::span<bytes const> capacities,
                                         pool_options options) -> pool_result {
    std::vector<std::size_t> at(capacities.size()), rank(capacities.size());
    std::iota(at.begin(), at.end(), std::size_t{0});
    std::ranges::stable_sort(at, [&](auto p, auto q) { return options.costs[p] < options.costs[q]; });
    std::vector<bytes> sorted;
    std::vector<std::int64_t> costs;
    for (std::size_t k = 0; k < at.size(); ++k) {
        rank[at[k]] = k;
        sorted.push_back(capacities[at[k]]);
        costs.push_back(options.costs[at[k]]);
    }
    std::vector<std::optional<std::size_t>> required(options.required.begin(), options.required.end());
    for (auto& pool : required)
        if (pool) pool = rank[*pool];
    options.required = required;
    options.costs = costs;
    auto found = assign_pools(buffers, sorted, options);
    if (!found.plan) return found;
    for (auto& pool : found.plan->pool_of) pool = at[pool];
    for (auto& stays : found.plan->stays)
        for (auto& stay : stays) stay.pool = at[stay.pool];
    auto const heights = found.plan->heights;
    for (std::size_t k = 0; k < at.size(); ++k) found.plan->heights[at[k]] = heights[k];
    return found;
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto assign_pools(std::span<buffer const> buffers, std::span<bytes const> capacities,
                                  pool_options const& options) -> pool_result {
    auto const has_each = [&](auto const& given) { return given.empty() || given.size() == buffers.size(); };
    REPEBBLE_ASSERT(has_each(options.required) && has_each(options.priorities) && has_each(options.traffic) &&
                    has_each(options.accesses));
    REPEBBLE_ASSERT(options.traffic.empty() || options.accesses.empty());
    REPEBBLE_ASSERT(options.costs.empty() || options.costs.size() == capacities.size());
    detail::limit_test limit(options.offsets.limits);
    auto offsets = options.offsets;
    offsets.limits.seconds.reset();
    offsets.limits.stop = [&] { return limit(); };
    detail::pool_table table(buffers, capacities, options);
    if (buffers.empty()) return {.plan = pool_plan{{}, {}, std::vector<bytes>(capacities.size(), 0)}};
    if (capacities.empty() || table.is_impossible()) return {.none_exists = true};
    bool const has_priorities = !options.priorities.empty();
    if (options.traffic.empty() && options.accesses.empty())
        return detail::pool_planner(table, offsets, limit).find_any(has_priorities);
    if (std::ranges::is_sorted(table.costs())) {
        auto const less = detail::for_many_plans(offsets, buffers.size());
        pool_result whole;
        if (table.has_copies()) whole = detail::assign_without_copies(buffers, capacities, options);
        auto found = detail::pool_planner(table, less, limit).find_least(has_priorities);
        if (whole.plan && (!found.plan || whole.traffic < found.traffic)) {
            found.plan = std::move(whole.plan);
            found.traffic = whole.traffic;
        }
        if (found.plan || found.none_exists) return found;
        auto any = detail::pool_planner(table, offsets, limit).find_any(has_priorities);
        if (!any.none_exists) any.traffic_bound = found.traffic_bound;
        return any;
    }
    auto sorted = options;
    sorted.offsets = offsets;
    return detail::assign_by_cost(buffers, capacities, sorted);
}

}  // namespace repebble::inline v0

#endif
