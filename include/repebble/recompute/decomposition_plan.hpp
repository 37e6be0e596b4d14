#ifndef REPEBBLE_RECOMPUTE_DECOMPOSITION_PLAN_HPP
#define REPEBBLE_RECOMPUTE_DECOMPOSITION_PLAN_HPP

// Plans by divide and conquer over a tree decomposition (Bulatov 2018, "Support general graphs"; R. Kumar, M. Purohit,
// Z. Svitkina, E. Vee, J. Wang 2019, "Efficient rematerialization for deep networks"): memory logarithmic in the number
// of operations where the treewidth is small, for more computations than other strategies take. The recursion is
// detail/divide_and_conquer.hpp.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <repebble/decomposition/elimination.hpp>
#include <repebble/decomposition/greedy_elimination.hpp>
#include <repebble/decomposition/undirected_graph.hpp>
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
    std::optional<bytes> budget{};               ///< least overhead within this many bytes; none: the least peak
    objective goal = objective::time;            ///< memory: the least peak, which must fit the budget
    bool nearest = false;                        ///< where no plan fits, return the one nearest to the budget
    std::size_t most_computations = 50'000'000;  ///< of a plan; where all take more, everything is kept
};

/// A plan by nested separators, and what it promises.
template <quantity Time = std::int64_t, class Vertex = operation_index>
struct decomposed_plan : recompute_plan<Time, Vertex> {
    std::size_t width = 0;   ///< of the tree decomposition of the training graph, without directions
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
/// computed straight.
template <quantity Time>
class decomposition_search {
  public:
    decomposition_search(dataflow<Time> const& flow, decomposition_options const& options)
        : flow_(flow), options_(options) {}

    /// The plan nearest to the budget.
    [[nodiscard]] auto search() && -> decomposed_plan<Time> {
        if (!applies()) return kept();
        auto const g = undirected_graph::of(flow_);
        auto const narrow = min_fill(g);
        if (narrow.width > widest) return kept();
        divisions_.emplace_back(flow_, g, narrow.order);
        auto const along = breadth_first_elimination(g);
        if (eliminate(g, along).width <= most_width(narrow.width)) divisions_.emplace_back(flow_, g, along);
        for (std::size_t k = 0; k < divisions_.size(); ++k) {
            auto const run = divisions_[k].computations(
                0, k == 0 ? options_.most_computations : std::min(options_.most_computations, most_of_second));
            if (run) offer(k, 0, *run);
        }
        if (!best_) return kept();
        if (options_.budget && best_->cost.peak > *options_.budget && !options_.nearest) return std::move(*best_);
        bool const by_time = options_.budget && options_.goal == objective::time;
        auto const promised = best_->promise;
        capacity_ = by_time && best_->cost.peak <= *options_.budget ? *options_.budget : best_->cost.peak;
        for (std::size_t k = 0; k < divisions_.size(); ++k)
            if (steps_[k] > 0 && steps_[k] <= most_improved) improve(k);
        drop();
        if (!by_time) best_->promise = std::min(best_->promise, promised);  // of the plan that set the capacity
        return std::move(*best_);
    }

  private:
    static constexpr std::size_t widest = 200;
    static constexpr std::size_t most_of_second = 5'000'000, most_improved = 1'000'000, most_dropped_from = 50'000;

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

    /// Whether the sequence is within the capacity; keeps the better plan.
    auto offer(std::size_t k, bytes straight, std::vector<operation_index> const& run) -> bool {
        decomposed_plan<Time> plan{
            {liveness(flow_, run), {}}, divisions_[k].width(), divisions_[k].levels(), divisions_[k].promise(straight)};
        plan.cost = replay(flow_, plan.schedule);
        if (straight == 0) {
            steps_.resize(divisions_.size(), 0);
            steps_[k] = run.size();
        }
        bool const fits = !capacity_ || plan.cost.peak <= *capacity_;
        plan_preference<Time> const prefer{capacity_, objective::time, false};
        using time_and_peak = typename plan_preference<Time>::time_and_peak;
        if (!best_ || prefer(time_and_peak{plan.cost.time, plan.cost.peak}, {best_->cost.time, best_->cost.peak})) {
            best_ = std::move(plan);
            run_ = run;
        }
        return fits;
    }
    /// Raises the straight bytes as far as the plan fits: by galloping, then bisection.
    void improve(std::size_t k) {
        auto const fits = [&](bytes straight) {
            auto const run = divisions_[k].computations(straight, options_.most_computations);
            return run && offer(k, straight, *run);
        };
        if (!fits(0)) return;
        bytes low = 0, high = *capacity_;  // `low` fits
        for (bytes step = 1; low < high; step = checked_multiply(step, bytes{2})) {
            auto const next = low + std::min(step, high - low);
            if (!fits(next)) {
                high = next - 1;
                break;
            }
            low = next;
        }
        while (high - low > high / precision) {
            auto const middle = low + (high - low + 1) / 2;
            if (fits(middle))
                low = middle;
            else
                high = middle - 1;
        }
    }
    /// Drops recomputations for which there is room.
    void drop() {
        if (run_.size() > most_dropped_from) return;
        auto const room = std::min(std::max(*capacity_, best_->cost.peak), best_->promise);
        auto schedule = liveness(flow_, drop_recomputations<Time>(flow_, room).dropped_from(run_));
        auto const cost = replay(flow_, schedule);
        if (cost.peak > room || !(cost.time < best_->cost.time)) return;
        best_->schedule = std::move(schedule);
        best_->cost = cost;
    }

    static constexpr bytes precision = 64;

    dataflow<Time> const& flow_;
    decomposition_options const& options_;
    std::vector<divide_and_conquer<Time>> divisions_;
    std::vector<std::size_t> steps_;  // by division: computations without straight bytes; 0: too many
    std::optional<bytes> capacity_;   // bytes that a plan may need
    std::optional<decomposed_plan<Time>> best_;
    std::vector<operation_index> run_;  // of the best
};

struct decomposition_plan_fn : on_forward_graphs<decomposition_plan_fn, decomposition_options> {
    using on_forward_graphs<decomposition_plan_fn, decomposition_options>::operator();

    template <quantity Time>
    [[nodiscard]] auto operator()(training_graph<Time> const& training, decomposition_options const& options = {}) const
        -> std::optional<decomposed_plan<Time>> {
        planning_graph<Time> const graph(training);
        auto plan = decomposition_search<Time>(graph.flow(), options).search();
        static_cast<recompute_plan<Time>&>(plan) = plan_of(graph, plan.schedule);
        return within(std::move(plan), options);
    }
    /// For any dataflow, with or without gradients.
    template <quantity Time>
    [[nodiscard]] auto operator()(dataflow<Time> const& flow, decomposition_options const& options = {}) const
        -> std::optional<decomposed_plan<Time>> {
        return within(decomposition_search<Time>(flow, options).search(), options);
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
/// any forward graph with a budget. With a budget the plan of least overhead that fits; without, of least peak.
///
/// With n operations, all values of one byte, a decomposition of width w and at most d inputs of an operation, the peak
/// is at most (w + 1 + d) (⌊log₂ n⌋ + 1) bytes, with values that stay (results, operations that run once), the largest
/// workspace, the largest sink and the bytes computed straight on top. `promise` is that sum for the separators that
/// were found, in the bytes of the values, and never less than the peak. Graphs with control edges, mutations, inputs
/// or alternative producers, or of a width above 200, are kept whole.
///
/// O(computations log n) for each of two to some thirty plans, few where they are long. The computations grow as n log
/// n on chains and towers, as a power of n where separators have more vertices. Returns nothing where no plan fits.
inline constexpr detail::decomposition_plan_fn decomposition_plan{};

}  // namespace repebble::inline v0

#endif
