#ifndef REPEBBLE_RECOMPUTE_DECOMPOSITION_PLAN_HPP
#define REPEBBLE_RECOMPUTE_DECOMPOSITION_PLAN_HPP

// Plans by divide and conquer over a tree decomposition (Bulatov 2018, "Support general graphs"; R. Kumar, M. Purohit,
// Z. Svitkina, E. Vee, J. Wang 2019, "Efficient rematerialization for deep networks"): memory logarithmic in the number
// of operations where the treewidth is small, for more computations than other strategies take. The recursion is
// detail/divide_and_conquer.hpp.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/elimination_rule.hpp>
#include <repebble/decomposition/greedy_elimination.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/detail/sort_by.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/plain_dataflow.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/training/training_graph.hpp>
#include <repebble/lower_sets/objective.hpp>
#include <repebble/pebbling/liveness.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/detail/chain_stages/drop_recomputations.hpp>
#include <repebble/recompute/detail/divide_and_conquer.hpp>
#include <repebble/recompute/detail/on_forward_graphs.hpp>
#include <repebble/recompute/detail/plan_of.hpp>
#include <repebble/recompute/detail/plan_preference.hpp>
#include <repebble/recompute/planning_graph.hpp>
#include <repebble/recompute/recompute_plan.hpp>

namespace repebble::inline v0 {

/// Options of `decomposition_plan`.
struct decomposition_options {
    std::optional<bytes> budget{};     ///< least overhead within this many bytes; none: the least peak
    objective goal = objective::time;  ///< memory: the least peak, which must fit the budget
    bool nearest = false;              ///< where no plan fits, return the one nearest to the budget
    /// Computations of a plan; where all take more, everything is kept. None: 500 (n + 1000) of n operations, but at
    /// most 50 million.
    std::optional<std::size_t> most_computations{};
};

/// A plan by nested separators, and what it promises.
template <quantity Time = std::int64_t, class Vertex = operation_index>
struct decomposed_plan : recompute_plan<Time, Vertex> {
    std::size_t width = 0;   ///< of the tree decomposition of the training graph, without directions; 0: none made
    std::size_t levels = 0;  ///< separators that lie in one another: at most ⌊log₂ n⌋ + 1 of n operations
    bytes promise = 0;       ///< a bound on the peak that was known before the replay

    friend auto operator==(decomposed_plan const&, decomposed_plan const&) -> bool = default;
};

/// The same plan in terms of other vertices: f(vertex) for every vertex. O(steps).
template <quantity Time, class Vertex, class F>
[[nodiscard]] auto map_vertices(decomposed_plan<Time, Vertex> const& from, F&& f) {
    using target = std::remove_cvref_t<decltype(f(std::declval<Vertex const&>()))>;
    recompute_plan<Time, Vertex> const& base = from;
    return decomposed_plan<Time, target>{map_vertices(base, f), from.width, from.levels, from.promise};
}

namespace detail {

/// The search of decomposition_plan on one dataflow: two divisions, each with fewer computations the more bytes may be
/// computed straight, and everything once. With a budget all plans are met that are met without one, so that none is
/// slower.
template <quantity Time>
class decomposition_search {
  public:
    /// stop(): asked before each plan; from when it returns true on, none is made.
    decomposition_search(dataflow<Time> const& flow, decomposition_options const& options, stop_test stop)
        : flow_(flow),
          options_(options),
          stop_(stop),
          by_time_(options.budget && options.goal == objective::time),
          most_(options.most_computations.value_or(
              std::min(most_by_default, default_for_each * (flow.operation_count() + more_operations)))) {}

    /// The plan nearest to the budget.
    [[nodiscard]] auto search() && -> decomposed_plan<Time> {
        auto whole = kept();
        if (!applies() || (by_time_ && whole.cost.peak <= *options_.budget)) return whole;
        auto const g = undirected_graph::of(flow_);
        auto const narrow = greedy_elimination.within(widest, g, least_fill, {}, stop_);
        if (!narrow) return whole;
        divide(g, narrow->order);
        auto const along = breadth_first_elimination(g);
        if (!stop_() && eliminate(g, along).width <= most_width(narrow->width)) divide(g, along);
        whole.width = divisions_.front().nested.width();
        whole.levels = divisions_.front().nested.levels();
        offer(std::move(whole), {flow_.order().begin(), flow_.order().end()});
        find_least();
        if (by_time_) {
            auto without = *least_;  // what is returned without a budget
            drop(without, without.plan.cost.peak);
            if (without.plan.cost.peak <= *options_.budget && (!fastest_ || prefers(without.plan, fastest_->plan)))
                fastest_ = std::move(without);
            for (auto& d : divisions_) improve(d, *options_.budget);
        }
        drop(*least_, least_->plan.cost.peak);
        if (!by_time_) return std::move(least_->plan);
        drop_from_short();
        if (!fastest_ || prefers(least_->plan, fastest_->plan)) return std::move(least_->plan);
        return std::move(fastest_->plan);
    }

  private:
    struct division {
        divide_and_conquer<Time> nested;
        std::vector<bytes> grid;                        // straight bytes, ascending, whatever the budget
        std::size_t most = 0;                           // steps of a plan
        std::map<bytes, std::optional<bytes>> peaks{};  // by straight bytes that were tried; nothing: too many steps
        std::size_t steps = 0;                          // without straight bytes; the greatest number: too many
    };
    struct candidate {
        decomposed_plan<Time> plan;
        std::vector<operation_index> run;
    };
    using time_and_peak = typename plan_preference<Time>::time_and_peak;

    static constexpr std::size_t widest = 200;
    static constexpr std::size_t most_by_default = 50'000'000, default_for_each = 500, more_operations = 1000;
    static constexpr std::size_t most_of_second = 5'000'000, most_improved = 1'000'000, most_galloped_from = 200'000,
                                 most_dropped_from = 50'000;
    static constexpr bytes precision = 64;

    /// Whether reads alone order the operations, and each value has one producer.
    [[nodiscard]] auto applies() const -> bool {
        for (value_index value = 0; value < flow_.value_count(); ++value)
            if (flow_.producers(value).size() > 1) return false;
        return is_ordered_by_data(flow_) && flow_.operation_count() > 0;
    }
    /// Everything once.
    [[nodiscard]] auto kept() const -> decomposed_plan<Time> {
        decomposed_plan<Time> plan{{liveness(flow_), {}}};
        plan.cost = replay(flow_, plan.schedule);
        plan.promise = plan.cost.peak;
        return plan;
    }
    /// Wider divisions keep more on each level than they save.
    [[nodiscard]] static auto most_width(std::size_t least) -> std::size_t { return 4 * least + 8; }
    void divide(undirected_graph const& g, elimination_order const& order) {
        divide_and_conquer<Time> nested(flow_, g, order);
        auto grid = nested.straight_grid();
        divisions_.push_back(
            {std::move(nested), std::move(grid), divisions_.empty() ? most_ : std::min(most_, most_of_second)});
    }

    /// Within the budget the faster one.
    [[nodiscard]] auto prefers(decomposed_plan<Time> const& a, decomposed_plan<Time> const& b) const -> bool {
        plan_preference<Time> const prefer{options_.budget, objective::time, false};
        return prefer(cost_of(a), cost_of(b));
    }
    [[nodiscard]] static auto cost_of(decomposed_plan<Time> const& plan) -> time_and_peak {
        return {plan.cost.time, plan.cost.peak};
    }
    /// Keeps the plan if it has the least peak, or is the fastest within the budget.
    void offer(decomposed_plan<Time> plan, std::vector<operation_index> run) {
        if (by_time_ && plan.cost.peak <= *options_.budget) {
            if (!fastest_ || prefers(plan, fastest_->plan)) fastest_ = {plan, run};
            if (run.size() <= most_dropped_from) short_.push_back({plan, run});
        }
        plan_preference<Time> const smaller{};
        if (!least_ || smaller(cost_of(plan), cost_of(least_->plan))) least_ = {std::move(plan), std::move(run)};
    }
    /// The peak with so many straight bytes; offers the plan. Nothing: too many computations, or stopped.
    auto peak_with(division& d, bytes straight) -> std::optional<bytes> {
        auto const [known, is_new] = d.peaks.try_emplace(straight);
        if (!is_new) return known->second;
        auto run = stop_() ? std::nullopt : d.nested.computations(straight, d.most);
        if (straight == 0) d.steps = run ? run->size() : std::numeric_limits<std::size_t>::max();
        if (!run) return std::nullopt;
        decomposed_plan<Time> plan{
            {liveness(flow_, *run), {}}, d.nested.width(), d.nested.levels(), d.nested.promise(straight)};
        plan.cost = replay(flow_, plan.schedule);
        known->second = plan.cost.peak;
        offer(std::move(plan), std::move(*run));
        return known->second;
    }
    /// The plans that are met with any budget.
    void find_least() {
        std::optional<bytes> least;  // without straight bytes
        auto promise = least_->plan.promise;
        for (auto& d : divisions_)
            if (auto const peak = peak_with(d, 0)) {
                least = std::min(*peak, least.value_or(*peak));
                promise = std::min(promise, d.nested.promise(0));
            }
        for (auto& d : divisions_) {
            if (d.steps <= most_improved) improve(d, *least);
            if (d.peaks.at(0)) continue;
            for (auto at = d.grid.size(); at-- > 0 && peak_with(d, d.grid[at]);) continue;
        }
        least_->plan.promise = std::min(least_->plan.promise, promise);
    }
    /// Raises the straight bytes as far as the plan fits: along the grid, then by bisection. Long sequences are looked
    /// for from the limit down.
    void improve(division& d, bytes limit) {
        auto const fits = [&](bytes straight) {
            auto const peak = peak_with(d, straight);
            return peak && *peak <= limit;
        };
        std::size_t count = 0;               // of the grid, that are below what does not fit
        if (d.steps > most_galloped_from) {  // the sequences are shorter there
            count = static_cast<std::size_t>(std::ranges::upper_bound(d.grid, limit) - d.grid.begin());
            while (count > 0 && !fits(d.grid[count - 1])) --count;
            if (count == 0) return;
        }
        while (count < d.grid.size() && fits(d.grid[count])) ++count;
        if (count == 0 || count == d.grid.size()) return;
        auto low = d.grid[count - 1], high = d.grid[count];  // `low` fits
        while (high - low > std::max<bytes>(1, high / (d.steps > most_improved ? 2 : precision))) {
            auto const middle = low + (high - low) / 2;
            (fits(middle) ? low : high) = middle;
        }
    }
    /// Drops recomputations from what fits, the fastest first: a longer sequence may end as the faster one.
    void drop_from_short() {
        sort_by(short_, [&](auto const& a, auto const& b) { return prefers(a.plan, b.plan); });
        std::size_t sum = 0;
        for (auto& one : short_) {
            sum += one.run.size();
            if (sum > most_dropped_from) return;
            drop(one, *options_.budget);
            if (prefers(one.plan, fastest_->plan)) fastest_ = std::move(one);
        }
    }
    /// Drops recomputations for which there is room.
    void drop(candidate& from, bytes room) const {
        if (from.run.size() > most_dropped_from || stop_()) return;
        room = std::min(room, from.plan.promise);
        auto schedule = liveness(flow_, drop_recomputations<Time>(flow_, room).dropped_from(from.run));
        auto const cost = replay(flow_, schedule);
        if (cost.peak > room || !(cost.time < from.plan.cost.time)) return;
        from.plan.schedule = std::move(schedule);
        from.plan.cost = cost;
    }

    dataflow<Time> const& flow_;
    decomposition_options const& options_;
    stop_test stop_;
    bool by_time_;
    std::size_t most_;
    std::vector<division> divisions_;
    std::vector<candidate> short_;              // within the budget
    std::optional<candidate> least_, fastest_;  // of least peak; within the budget
};

struct decomposition_plan_fn : on_forward_graphs<decomposition_plan_fn, decomposition_options> {
    using on_forward_graphs<decomposition_plan_fn, decomposition_options>::operator();

    template <quantity Time>
    [[nodiscard]] auto operator()(training_graph<Time> const& training, decomposition_options const& options = {}) const
        -> std::optional<decomposed_plan<Time>> {
        planning_graph<Time> const graph(training);
        auto plan = decomposition_search<Time>(graph.flow(), options, never_stop{}).search();
        static_cast<recompute_plan<Time>&>(plan) = plan_of(graph, plan.schedule);
        return within(std::move(plan), options);
    }
    /// For any dataflow, with or without gradients. From when stop() returns true on, no other plan is tried.
    template <quantity Time>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow, decomposition_options const& options = {},
                                  stop_test stop = never_stop{}) const -> std::optional<decomposed_plan<Time>> {
        return within(decomposition_search<Time>(flow, options, stop).search(), options);
    }

  private:
    template <quantity Time>
    [[nodiscard]] static auto within(decomposed_plan<Time> plan, decomposition_options const& options)
        -> std::optional<decomposed_plan<Time>> {
        if (options.budget && plan.cost.peak > *options.budget && !options.nearest) return std::nullopt;
        return plan;
    }
};

}  // namespace detail

/// Plan by divide and conquer over tree decompositions of the training graph, without directions: by minimum fill and,
/// where that is not much wider, by breadth-first search. A bag that halves the graph is a separator; its operations
/// are computed in topological order, and what each reads from the parts beside it is computed there by the same
/// method, used, and forgotten. Parts that need few bytes are computed straight. Takes a training graph, a dataflow, or
/// any forward graph with a budget. With a budget the plan of least overhead that fits, of those that were tried;
/// without, of least peak. A plan with a budget is never slower than the one without, if that fits and views take no
/// time; now and then it is slower than one with a smaller budget. Everything once is a plan, too.
///
/// With n operations, all values of one byte, a decomposition of width w and at most d inputs of an operation, the peak
/// is at most (w + 1 + d) (⌊log₂ n⌋ + 1) bytes, with values that stay (results, operations that run once), the largest
/// workspace, the largest sink and the bytes computed straight on top. `promise` is that sum for the separators that
/// were found, in the bytes of the values, and never less than the peak. Graphs with control edges, mutations, inputs
/// or alternative producers, or of a width above 200, are kept whole.
///
/// O(computations log n) for each of two to some forty plans, few where they are long, and the minimum fill before them
/// (see greedy_elimination), also of graphs that are kept whole for their width. The computations grow as n log
/// n on chains and towers, as a power of n where separators have more vertices. Returns nothing where no plan fits.
inline constexpr detail::decomposition_plan_fn decomposition_plan{};

}  // namespace repebble::inline v0

#endif
