// Pipelines over lists of numbers; and the bodies behind them: not all of the component, whose files need zlib.
#include "pipelines.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <repebble/impl/pipelines/block_order.ipp>
#include <repebble/impl/pipelines/choice_fitter.ipp>
#include <repebble/impl/pipelines/flat_order.ipp>
#include <repebble/impl/pipelines/improve_choices.ipp>
#include <repebble/impl/pipelines/improve_order.ipp>
#include <repebble/impl/pipelines/insert_weight_gradients.ipp>
#include <repebble/impl/pipelines/pipeline.ipp>
#include <repebble/impl/pipelines/pipeline_bounds.ipp>
#include <repebble/impl/pipelines/pipeline_orders.ipp>
#include <repebble/impl/pipelines/plan_pipeline.ipp>
#include <repebble/impl/pipelines/rank_memory.ipp>
#include <repebble/impl/pipelines/stage_curve.ipp>
#include <repebble/impl/pipelines/verify_pipeline.ipp>

#include "caller.hpp"
#include "problem.hpp"

namespace repebble_python {
namespace {

/// Recomputation, then bytes kept, in the forward pass, in the backward pass, for gradients of weights.
using choice = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
/// Rank, times of the three passes, transfer, constant bytes, choices.
using stage =
    std::tuple<std::size_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::vector<choice>>;
using pass = std::tuple<std::string, std::uint32_t, std::uint32_t>;
using orders = std::vector<std::vector<pass>>;

constexpr std::array kinds{repebble::pass_kind::forward, repebble::pass_kind::input_gradient,
                           repebble::pass_kind::weight_gradient, repebble::pass_kind::backward};

[[nodiscard]] auto choices_of(repebble::pipeline_stage const& of) -> std::vector<choice> {
    std::vector<choice> all;
    for (auto const& c : of.choices)
        all.emplace_back(c.recomputation, c.kept, c.in_forward, c.in_backward, c.for_weights);
    return all;
}
[[nodiscard]] auto pipeline_of(std::size_t ranks, std::size_t microbatches, std::vector<stage> const& stages)
    -> repebble::pipeline {
    repebble::pipeline p{.ranks = ranks, .microbatches = microbatches};
    for (auto const& [rank, forward, inputs, weights, transfer, constant, choices] : stages) {
        auto& made =
            p.stages.emplace_back(repebble::pipeline_stage{rank, forward, inputs, weights, transfer, constant, {}});
        for (auto const& [again, kept, in_forward, in_backward, for_weights] : choices)
            made.choices.push_back({again, kept, in_forward, in_backward, for_weights});
    }
    check_pipeline(p);
    return p;
}
[[nodiscard]] auto listed(repebble::pass_orders const& all) -> orders {
    orders made;
    for (auto const& order : all) {
        auto& list = made.emplace_back();
        for (auto const& [kind, s, k] : order) list.emplace_back(field_of(kind), s, k);
    }
    return made;
}
/// Requires: each kind is one.
[[nodiscard]] auto passes_of(orders const& all) -> repebble::pass_orders {
    repebble::pass_orders made;
    for (auto const& order : all) {
        auto& list = made.emplace_back();
        for (auto const& [word, s, k] : order)
            for (auto const kind : kinds)
                if (word == field_of(kind)) list.push_back({kind, s, k});
    }
    return made;
}

/// The bytes that each rank needs, and those that keep everything.
[[nodiscard]] auto pipeline_sizes(std::size_t ranks, std::size_t microbatches, std::vector<stage> const& stages) {
    auto const p = pipeline_of(ranks, microbatches, stages);
    return std::pair(find_least_bytes(p), find_bytes_to_keep_all(p));
}

/// The least bytes of each rank; and the plan: what made it, makespan, bounds of any order and of its own, peaks,
/// choices, orders, spans; or nothing.
[[nodiscard]] auto plan_pipeline(std::size_t ranks, std::size_t microbatches, std::vector<stage> const& stages,
                                 std::vector<std::int64_t> const& budgets, std::optional<orders> const& lists,
                                 std::optional<std::string> const& order, std::uint64_t seed,
                                 std::optional<double> seconds, std::optional<std::size_t> work, nb::object stop) {
    using enum repebble::pipeline_order;
    caller from(seconds, work, std::move(stop));
    auto const p = pipeline_of(ranks, microbatches, stages);
    repebble::pipeline_options options{.limits = from.limits(), .seed = seed};
    for (auto const known : {one_at_a_time, one_forward_one_backward, zero_bubble, v_shaped, found})
        if (order == to_string(known)) options.order = known;
    auto const plan = from.run([&] {
        return lists ? repebble::plan_pipeline(p, passes_of(*lists), budgets, options)
                     : repebble::plan_pipeline(p, budgets, options);
    });
    from.finish(plan.schedule.has_value());
    using spans = std::vector<std::vector<std::pair<std::int64_t, std::int64_t>>>;
    std::optional<std::tuple<std::string, std::int64_t, std::int64_t, std::int64_t, std::vector<std::int64_t>,
                             std::vector<std::uint32_t>, orders, spans>>
        made;
    if (plan.schedule) {
        spans all;
        for (auto const& of_rank : plan.cost.spans) {
            auto& list = all.emplace_back();
            for (auto const& s : of_rank) list.emplace_back(s.begin, s.end);
        }
        made.emplace(to_string(plan.made_by), plan.cost.makespan, plan.lower_bound, plan.order_bound, plan.cost.peaks,
                     plan.schedule->choices, listed(plan.schedule->orders), std::move(all));
    }
    return std::pair(plan.least, std::move(made));
}

/// The times of the three passes of a training graph, and its choices.
[[nodiscard]] auto pipeline_stage(problem const& graph, double weight_share, std::optional<std::size_t> work) {
    if (graph.training() == nullptr)
        throw repebble::bad_graph(
            "a stage's graph has a forward and a backward pass, and says of each operation which");
    caller from(std::nullopt, work, nb::none());
    auto const made = from.run([&] {
        return repebble::make_pipeline_stages(std::span(graph.training(), 1),
                                              {.weight_share = weight_share, .planner = {.limits = from.limits()}})
            .front();
    });
    from.finish(false);
    return std::tuple(made.forward, made.input_gradient, made.weight_gradient, choices_of(made));
}

}  // namespace

void add_pipelines(nb::module_& m) {
    using namespace nb::literals;
    m.def("pipeline_sizes", &pipeline_sizes, "ranks"_a, "microbatches"_a, "stages"_a);
    m.def("plan_pipeline", &plan_pipeline, "ranks"_a, "microbatches"_a, "stages"_a, "budgets"_a, "orders"_a.none(),
          "order"_a.none(), "seed"_a, "seconds"_a.none(), "work"_a.none(), "stop"_a.none());
    m.def("pipeline_stage", &pipeline_stage, "graph"_a, "weight_share"_a, "work"_a.none());
}

}  // namespace repebble_python
