#ifndef REPEBBLE_ORDERS_FIND_OPTIMAL_PEBBLING_HPP
#define REPEBBLE_ORDERS_FIND_OPTIMAL_PEBBLING_HPP

// A fastest schedule within a budget, by exact search: for small dataflows, as a reference for all heuristics.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include <repebble/detail/function_ref.hpp>
#include <repebble/graph/access.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/detail/contract_views.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/detail/deadline_observer.hpp>
#include <repebble/graph/limits.hpp>
#include <repebble/graph/no_progress.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/training/value_policies.hpp>
#include <repebble/graph/weights.hpp>
#include <repebble/orders/detail/pebbling_search.hpp>
#include <repebble/orders/detail/placement_search.hpp>
#include <repebble/orders/detail/small_game.hpp>
#include <repebble/pebbling/detail/expand_views.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/pebbling/verify_schedule.hpp>

namespace repebble::inline v0 {

/// Options of an exact search.
struct optimal_options {
    repebble::limits limits{};            ///< work: states in memory, of about 100 bytes each, 1,000,000 by default
    std::optional<std::int64_t> below{};  ///< only schedules of less time than that count
};

/// The result of an exact search for the least time within a budget.
template <class Vertex = operation_index>
struct optimal_result {
    std::optional<repebble::schedule<Vertex>> schedule;  ///< a fastest schedule, if one was found
    std::int64_t time{};                                 ///< the time of the schedule
    std::int64_t lower_bound{};  ///< of all schedules within the budget; equal to `time` where there is a schedule
    bool proven = false;  ///< the schedule is optimal or, without a schedule, none exists; false: the limit was reached
    std::size_t states = 0;  ///< number of states in the search

    /// The claims, each by the word of `automatic_plan`: no schedule within the budget takes less time.
    [[nodiscard]] auto time_least() const noexcept -> bool { return schedule && proven; }
    /// No schedule is within the budget; with `below`, none of less time than that.
    [[nodiscard]] auto none_exists() const noexcept -> bool { return !schedule && proven; }

    friend auto operator==(optimal_result const&, optimal_result const&) -> bool = default;
};

/// An exact search within one budget that stops when it is asked to, and goes on later: what `find_optimal_pebbling`
/// does at once.
class optimal_search {
  public:
    /// Prepares the search; keeps a reference to the dataflow. `marks`: only schedules count that recompute what must
    /// be recomputed; null: all do.  O(n + m).  Throws as `find_optimal_pebbling` does.
    optimal_search(dataflow const& flow, bytes budget, policy_marks const* marks = nullptr)
        : flow_(flow),
          budget_(budget),
          contracted_(contracted(flow)),
          game_(contracted_.flow()),
          search_(game_, budget),
          under_policies_(marks != nullptr && marks->any_recomputed) {
        if (!sets_tell_all() && detail::placement_search::fits(flow)) placements_.emplace(flow, budget, marks);
    }
    optimal_search(optimal_search const&) = delete;  // its parts refer to each other
    auto operator=(optimal_search const&) -> optimal_search& = delete;

    /// Whether it takes a dataflow of this size.  O(n + m).
    [[nodiscard]] static auto takes(dataflow const& flow) -> bool {
        return detail::small_game::fits(contracted(flow).flow());
    }

    /// Goes on until it has an answer, or to the limits: of work, states in memory in all. With `below`, in this call
    /// or an earlier one, only schedules of less time than the least of them count.
    [[nodiscard]] auto go_on(optimal_options const& options = {}) -> optimal_result<> {
        if (options.below) search_.cut_off(*options.below);
        if (options.below && placements_) placements_->cut_off(*options.below);
        no_progress silent;
        detail::deadline_observer watch(silent, options.limits);
        auto const stop = [&] { return watch.is_over(); };
        auto const most = options.limits.work.value_or(default_states);
        optimal_result<> result;
        if (under_policies_) {
            if (placements_) go_on_by_placements(result, most, stop);
            return result;
        }
        auto const end = search_.run(most, stop);
        result.states = search_.states();
        if (end == detail::pebbling_end::found) keep_if_it_fits(result);
        if (sets_tell_all()) {
            result.proven = end != detail::pebbling_end::limit;
            result.lower_bound = search_.lower_bound();
        } else if (placements_ && end != detail::pebbling_end::limit) {
            go_on_by_placements(result, most, stop);
        }
        if (result.proven && result.schedule) result.lower_bound = result.time;
        return result;
    }

    static constexpr std::size_t default_states = 1'000'000;  ///< `limits.work` where none is given

    /// Whether every schedule of the dataflow is looked at. Else nothing is proven, and there is no bound but 0: there
    /// are so many operations that views which take time run with their owners, or so many storages that it is not
    /// told apart in which of them the views of a value lie that is computed again.
    [[nodiscard]] auto has_all_moves() const -> bool { return sets_tell_all() || placements_; }

  private:
    /// Views that take time run by themselves where there is room for them.
    [[nodiscard]] static auto contracted(dataflow const& flow) -> detail::contracted_dataflow {
        auto made = detail::contract_views(flow, detail::merged_views::free);
        return detail::small_game::fits(made.flow()) ? std::move(made) : detail::contract_views(flow);
    }

    /// Whether every schedule is a way through the game of sets. Else a view may stay in the storage of an older
    /// computation, or take time and run with its owner.
    [[nodiscard]] auto sets_tell_all() const -> bool {
        if (under_policies_ || !game_.has_all_moves() || detail::may_overwrite_viewed(flow_)) return false;
        for (operation_index v = 0; v < flow_.operation_count(); ++v)
            if (flow_.time(v) > 0 && contracted_.members[contracted_.representative[v]].front() != v) return false;
        return true;
    }
    /// Takes what the game of sets has found. It may not fit where sets do not tell all: an operation that replaces a
    /// value, and makes a view of what it replaces, leaves two storages, and sets count one.
    void keep_if_it_fits(optimal_result<>& result) const {
        auto made = detail::expand_views(flow_, contracted_, make_schedule(contracted_.flow(), search_.computations()));
        if (auto const judged = verify_schedule(flow_, made); judged.broken || judged.result.peak > budget_) return;
        result.time = search_.time();
        result.schedule = std::move(made);
    }
    /// Looks for less time than that of the result, if it has a schedule.
    void go_on_by_placements(optimal_result<>& result, std::size_t most, detail::stop_test stop) {
        if (result.schedule) placements_->cut_off(result.time);
        auto const end = placements_->run(most - std::min(most, result.states), stop);
        result.states += placements_->states();
        result.lower_bound = placements_->lower_bound();
        result.proven = end != detail::pebbling_end::limit;
        if (end != detail::pebbling_end::found) return;
        result.time = placements_->time();
        result.schedule = placements_->found();
        if (result.proven) result.lower_bound = result.time;
    }

    dataflow const& flow_;
    bytes budget_;
    detail::contracted_dataflow contracted_;
    detail::small_game game_;
    detail::pebbling_search search_;
    bool under_policies_;  // the boundary between the passes is a step of placements alone
    std::optional<detail::placement_search> placements_;  // where sets do not tell all
};

namespace detail {

struct find_optimal_pebbling_fn {
    [[nodiscard]] auto operator()(dataflow const& flow, bytes budget, optimal_options const& options = {}) const
        -> optimal_result<> {
        return optimal_search(flow, budget).go_on(options);
    }

    /// On any computation graph, in terms of its own vertices.
    template <computation_graph Graph, class... W>
        requires weights_for<weights<W...>, Graph>
    [[nodiscard]] auto operator()(Graph const& g, weights<W...> const& w, bytes budget,
                                  optimal_options const& options = {}) const {
        auto found = (*this)(make_dataflow(g, w), budget, options);
        auto const by_index = detail::vertices_by_index(g);
        optimal_result<vertex_t<Graph>> result;
        if (found.schedule)
            result.schedule = map_vertices(*found.schedule, [&](operation_index v) { return by_index[v]; });
        result.time = found.time;
        result.lower_bound = found.lower_bound;
        result.proven = found.proven;
        result.states = found.states;
        return result;
    }
};

}  // namespace detail

/// Finds a schedule of least time among all that `replay` accepts and whose peak is within the budget, by best-first
/// search. No copies to the host pool; in place are the steps that the dataflow allows, over values of equal size.
/// Nothing is proven where `optimal_search::has_all_moves` is false. For
/// dataflows of up to 64 operations and 64 values, in practice 20 to 40: exponential in the worst case, O(states ·
/// operations) time. Times that are not integers: optimal up to rounding. With `below`, only schedules of less time
/// than that count: `proven` without a schedule then means that none of those fits. Throws limit_reached where the
/// dataflow is larger.
inline constexpr detail::find_optimal_pebbling_fn find_optimal_pebbling{};

}  // namespace repebble::inline v0

#endif
