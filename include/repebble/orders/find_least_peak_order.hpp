#ifndef REPEBBLE_ORDERS_FIND_LEAST_PEAK_ORDER_HPP
#define REPEBBLE_ORDERS_FIND_LEAST_PEAK_ORDER_HPP

// The order of least peak: every operation once, for inference. Forests have Liu's order; other graphs a valley search
// (detail/valley_tree.hpp), which proves the least peak of networks and of many random graphs of a hundred to a
// thousand operations, and a dynamic program for those of small pathwidth (detail/path_program.hpp). These alternate
// with searches for any order within budgets between the bounds.

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include <repebble/detail/paced_stop.hpp>
#include <repebble/graph/access.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>
#include <repebble/graph/detail/deadline_observer.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/limits.hpp>
#include <repebble/graph/no_progress.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/weights.hpp>
#include <repebble/orders/detail/beam_order.hpp>
#include <repebble/orders/detail/granule.hpp>
#include <repebble/orders/detail/liu_order.hpp>
#include <repebble/orders/detail/one_shot_game.hpp>
#include <repebble/orders/detail/one_shot_orders.hpp>
#include <repebble/orders/detail/path_search.hpp>
#include <repebble/orders/detail/valley_search.hpp>
#include <repebble/orders/one_shot_order.hpp>
#include <repebble/pebbling/detail/schedule_in_order.hpp>
#include <repebble/pebbling/replay.hpp>

namespace repebble::inline v0 {

/// Limits of a search for an order of least peak.
struct order_options {
    /// Work: lower sets of all searches together, but for one greedy order, and what the path program does in the time
    /// of so many; 500,000 by default. No search has more than about a gibibyte.
    repebble::limits limits{};
};

namespace detail {

/// One search for an order of least peak.
template <class Stop>
class order_search {
  public:
    order_search(one_shot_game const& game, bytes unit, std::vector<operation_index> first, std::size_t most_states,
                 Stop& stop)
        : game_(game), unit_(unit), most_states_(most_states), stop_(stop), paths_(game), lower_(game.largest_step()) {
        take(std::move(first));
    }

    void run() {
        for (std::size_t share = first_share; lower_ < upper_ && !is_over(); share *= 2) {
            raise_lower(share);
            if (lower_ < upper_ && !is_over()) widen(share);
            if (lower_ < upper_ && !is_over()) introduce(share);
            if (lower_ < upper_ && !is_over()) bisect(share / 4);
        }
    }
    [[nodiscard]] auto order() const -> std::vector<operation_index> const& { return best_; }
    [[nodiscard]] auto upper() const -> bytes { return upper_; }
    [[nodiscard]] auto lower() const -> bytes { return lower_; }
    [[nodiscard]] auto states() const -> std::size_t { return states_; }

  private:
    [[nodiscard]] auto is_over() -> bool { return states_ >= most_states_ || stop_.now(); }

    /// From the lower bound upwards: an order that is found has the least peak.
    void raise_lower(std::size_t share) {
        auto const [end, bound] = search(lower_, upper_, share);
        lower_ = std::max(lower_, bound);
    }
    /// Looks for any order within budgets between the bounds.
    void bisect(std::size_t share) {
        for (auto low = lower_; low < upper_ && !is_over();) {
            auto const budget = low + (upper_ - low) / unit_ / 2 * unit_;
            auto const [end, bound] = search(budget, budget + unit_, share);
            if (end == valley_end::impossible) lower_ = std::max(lower_, std::min(bound, upper_));
            if (end != valley_end::found) low = budget + unit_;
        }
    }
    /// By beam search, at least a greedy one.
    void widen(std::size_t share) {
        constexpr std::size_t most_bytes = std::size_t{1} << 30U, of_an_operation = 64;  // bytes, for a width of 1
        auto const n = game_.operation_count();
        auto const width = std::clamp<std::size_t>(of_a_state * std::min(share, most_states_ - states_) / best_.size(),
                                                   1, 1 + most_bytes / of_an_operation / n);
        states_ += width * best_.size() / of_a_state;
        if (auto found = beam_order(game_, width, upper_, stop_)) take(std::move(*found));
    }
    /// Over a path decomposition, where its width is small.
    void introduce(std::size_t share) {
        auto const left = most_states_ - states_, states = std::min(share, left);
        if (of_a_path * states < best_.size()) return;
        auto const width = std::clamp(states / of_a_state / best_.size(), narrowest_path, widest_path);
        auto found = paths_.run(upper_, width, states, left, [&] { return stop_.after(work_of_an_extension); });
        states_ += std::min(left, found.states);
        if (!found.order.empty()) take(std::move(found.order));
        lower_ = std::max(lower_, std::min(found.bound, upper_));
    }
    struct outcome {
        valley_end end;
        bytes bound;
    };
    auto search(bytes lower, bytes upper, std::size_t share) -> outcome {
        valley_search<Stop> search(game_, lower, upper, share, most_states_ - states_, stop_);
        auto const end = search.run();
        states_ += search.states();
        if (end == valley_end::found) {
            take(search.order());
            REPEBBLE_ASSERT(upper_ <= search.bound());
        }
        return {end, std::min(search.bound(), upper_)};
    }
    /// Takes over an order; the bound at its peak may prove it.
    void take(std::vector<operation_index> order) {
        auto const peak = peak_of(game_, order);
        best_ = std::move(order);
        upper_ = peak.size;
        if (lower_ < upper_ && peak.at && !stop_.now())
            lower_ = std::max(lower_, game_.least_at(*peak.at, [&] { return stop_.now(); }));
        lower_ = std::min(lower_, upper_);
    }

    static constexpr std::size_t first_share = 1000;  // states of the first search
    static constexpr std::size_t of_a_state = 4;      // lower sets of a beam that take the time of one
    static constexpr std::size_t of_a_path = 2;       // introductions into one partial order, in the time of a state
    static constexpr std::size_t narrowest_path = 16, widest_path = 256, work_of_an_extension = 50;

    one_shot_game const& game_;
    bytes unit_;
    std::size_t most_states_;
    paced_stop<Stop> stop_;
    path_search paths_;
    std::vector<operation_index> best_{};
    bytes upper_ = 0, lower_;
    std::size_t states_ = 0;
};

struct find_least_peak_order_fn {
    [[nodiscard]] auto operator()(dataflow const& flow, order_options const& options = {}) const -> one_shot_order<> {
        no_progress silent;
        deadline_observer watch(silent, options.limits);
        flow_without_views const merged(flow);
        std::vector<operation_index> given;
        for (auto const v : merged.flow().order())
            if (!merged.flow().is_input(v)) given.push_back(v);
        one_shot_order<> result;
        if (has_alternatives(merged.flow())) {
            result.order = merged.original(given);
            result.peak = replay(flow, schedule_in_order(flow, result.order)).peak;
            return result;
        }
        one_shot_game const game(merged.flow());
        if (auto const liu = liu_order_fn::in_game(game)) {
            result.order = merged.original(*liu);
            result.peak = result.lower_bound = peak_of(game, *liu).size;
            return result;
        }
        auto stop = [&] { return watch.is_over(); };
        order_search search(game, granule(merged.flow()), std::move(given),
                            options.limits.work.value_or(default_states), stop);
        search.run();
        result.order = merged.original(search.order());
        result.peak = search.upper();
        result.lower_bound = search.lower();
        result.states = search.states();
        return result;
    }

    /// On any computation graph, in terms of its own vertices.
    template <computation_graph Graph, class... W>
        requires weights_for<weights<W...>, Graph>
    [[nodiscard]] auto operator()(Graph const& g, weights<W...> const& w, order_options const& options = {}) const
        -> one_shot_order<vertex_t<Graph>> {
        auto const found = (*this)(make_dataflow(g, w), options);
        auto const by_index = detail::vertices_by_index(g);
        return map_vertices(found, [&](operation_index v) { return by_index[v]; });
    }

  private:
    static constexpr std::size_t default_states = 500'000;
};

}  // namespace detail

/// Finds an order in which every operation runs once (no recomputation, nothing in the host pool) and whose peak is the
/// least, or bounds that peak where a limit comes first. Bytes are those that `replay` counts for the
/// `make_schedule` of the order: results stay to the end, other values until their last reader, steps are in place
/// where the dataflow allows that and sizes are equal, inputs are present from the beginning. Exponential in the worst
/// case; O(n log n) for forests, by Liu's segments. Where a value has several producers, the given order and no bound;
/// where a limit is 0, the given order of graphs that are no forests. Throws as `contract_views`, and bad_weight where
/// the bytes of all values come near 2^60.
inline constexpr detail::find_least_peak_order_fn find_least_peak_order{};

}  // namespace repebble::inline v0

#endif
