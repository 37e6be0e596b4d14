// Offsets of buffers, chains of stages and treewidth, over lists of numbers.
#include "solvers.hpp"

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

#include <repebble/allocate/assign_offsets.hpp>
#include <repebble/allocate/assign_pools.hpp>
#include <repebble/chains/bytes_to_keep_all.hpp>
#include <repebble/chains/chain.hpp>
#include <repebble/chains/chain_dataflow.hpp>
#include <repebble/chains/solve_chain.hpp>
#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/treewidth/treewidth.hpp>

#include "caller.hpp"

namespace repebble_python {
namespace {

using numbers = std::vector<std::int64_t>;
using pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Requires: all lists are as long as the first.
[[nodiscard]] auto buffers_of(pairs const& lifetimes, numbers const& sizes, numbers const& alignments,
                              std::vector<std::optional<std::int64_t>> const& pinned) {
    std::vector<repebble::buffer> buffers(lifetimes.size());
    for (std::size_t i = 0; i < buffers.size(); ++i)
        buffers[i] = {.lifetime = {lifetimes[i].first, lifetimes[i].second},
                      .size = sizes[i],
                      .alignment = alignments[i],
                      .pinned = pinned[i]};
    return buffers;
}

/// Offsets, height, lower bound and what is proven. Requires: all lists are as long as the first.
[[nodiscard]] auto assign_offsets(pairs const& lifetimes, numbers const& sizes, numbers const& alignments,
                                  std::vector<std::optional<std::int64_t>> const& pinned,
                                  std::optional<std::int64_t> capacity, std::optional<double> seconds,
                                  std::optional<std::size_t> work, nb::object stop) {
    caller from(seconds, work, std::move(stop));
    auto const buffers = buffers_of(lifetimes, sizes, alignments, pinned);
    auto found =
        from.run([&] { return repebble::assign_offsets(buffers, {.capacity = capacity, .limits = from.limits()}); });
    from.finish(false);
    constexpr std::array proofs{"none", "height_least", "none_exists"};
    return std::tuple(std::move(found.offsets), found.height, found.lower_bound,
                      std::string(proofs[static_cast<std::size_t>(found.proof)]));
}

/// The pool and the offset of each buffer, and the heights of the pools, where there is a plan; whether none exists;
/// traffic, and its bound; and the stays of each buffer and the copies, where accesses are given.
[[nodiscard]] auto assign_pools(pairs const& lifetimes, numbers const& sizes, numbers const& alignments,
                                std::vector<std::optional<std::int64_t>> const& pinned, numbers const& capacities,
                                std::vector<std::optional<std::size_t>> const& required,
                                std::vector<double> const& priorities, numbers const& traffic, numbers const& costs,
                                std::vector<pairs> const& accesses, std::optional<double> seconds,
                                std::optional<std::size_t> work, nb::object stop) {
    caller from(seconds, work, std::move(stop));
    auto const buffers = buffers_of(lifetimes, sizes, alignments, pinned);
    std::vector<std::vector<repebble::pool_access>> made(accesses.size());
    for (std::size_t i = 0; i < made.size(); ++i)
        for (auto const& [time, moved] : accesses[i]) made[i].push_back({time, moved});
    auto found = from.run([&] {
        return repebble::assign_pools(buffers, capacities,
                                      {.required = required,
                                       .priorities = priorities,
                                       .traffic = traffic,
                                       .costs = costs,
                                       .accesses = made,
                                       .offsets = {.limits = from.limits()}});
    });
    from.finish(false);
    auto plan = std::move(found.plan).value_or(repebble::pool_plan{});
    std::vector<std::vector<std::tuple<std::size_t, std::int64_t, std::int64_t, std::int64_t>>> stays(
        plan.stays.size());
    for (std::size_t i = 0; i < stays.size(); ++i)
        for (auto const& [pool, offset, lifetime] : plan.stays[i])
            stays[i].emplace_back(pool, offset, lifetime.lower, lifetime.upper);
    std::vector<std::tuple<std::int64_t, std::size_t, std::size_t>> copies;
    for (auto const& [time, buffer, stay] : plan.copies) copies.emplace_back(time, buffer, stay);
    return std::tuple(std::move(plan.pool_of), std::move(plan.offsets), std::move(plan.heights), found.none_exists,
                      found.traffic, found.traffic_bound, std::move(stays), std::move(copies));
}

/// A solved chain.
class chain_curve {
  public:
    using tape = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;  // saved, workspaces, extra time
    using action = std::tuple<std::string, std::uint32_t, std::uint32_t>;

    chain_curve(repebble::chain const& of, repebble::chain_options const& options)
        : frontier_(repebble::solve_chain(of, options)), flow_(of), keep_all_(repebble::bytes_to_keep_all(of)) {}

    [[nodiscard]] auto curve() const -> pairs {
        pairs all;
        for (auto const& [budget, time] : frontier_.curve()) all.emplace_back(budget, time);
        return all;
    }
    [[nodiscard]] auto keep_all() const noexcept -> std::int64_t { return keep_all_; }
    /// Time, peak, lower bound and actions; nothing where no plan fits.
    [[nodiscard]] auto within(std::int64_t budget) const
        -> std::optional<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::vector<action>>> {
        without_gil const released;
        auto const found = frontier_.actions_within(budget);
        if (!found) return std::nullopt;
        std::vector<action> actions;
        constexpr std::array names{"forward", "save", "backward"};
        for (auto const& [what, stage, number] : *found)
            actions.emplace_back(names[static_cast<std::size_t>(what)], stage, number);
        return std::tuple(*frontier_.time_within(budget), flow_.replay(*found).peak, *frontier_.lower_bound(budget),
                          std::move(actions));
    }

  private:
    repebble::chain_frontier frontier_;
    repebble::chain_dataflow flow_;
    std::int64_t keep_all_;
};

void init_chain(chain_curve* self, numbers const& forward, numbers const& backward, numbers const& outputs,
                numbers const& gradients, numbers const& workspaces,
                std::vector<std::vector<chain_curve::tape>> const& tapes, std::int64_t input,
                std::int64_t input_gradient, std::optional<std::int64_t> last_budget, bool drop_saved_inputs,
                double epsilon, std::optional<double> seconds, std::optional<std::size_t> work, nb::object stop) {
    caller from(seconds, work, std::move(stop));
    repebble::chain of{.input = input, .input_gradient = input_gradient};
    for (std::size_t i = 0; i < forward.size(); ++i) {
        auto& stage = of.stages.emplace_back(
            repebble::chain_stage{forward[i], backward[i], outputs[i], gradients[i], workspaces[i], {}});
        for (auto const& [saved, forward_workspace, backward_workspace, extra] : tapes[i])
            stage.tapes.push_back({saved, forward_workspace, backward_workspace, extra});
    }
    auto solved = from.run([&] {
        return chain_curve(of, {.drop_saved_inputs = drop_saved_inputs,
                                .epsilon = epsilon,
                                .last_budget = last_budget,
                                .limits = from.limits()});
    });
    from.finish(false);
    new (self) chain_curve(std::move(solved));
}

/// Lower and upper bound, heuristic, order, bags and edges between bags.
[[nodiscard]] auto find_treewidth(std::size_t vertices,
                                  std::vector<std::pair<std::uint32_t, std::uint32_t>> const& edges,
                                  std::optional<double> seconds, std::optional<std::size_t> work, nb::object stop,
                                  std::uint64_t seed, std::size_t threads) {
    caller from(seconds, work, std::move(stop));
    auto [found, tree] = from.run([&] {
        repebble::undirected_graph const g(vertices, edges);
        auto bounds = repebble::find_treewidth(g, {.limits = from.limits(), .seed = seed, .threads = threads});
        auto made = repebble::make_tree_decomposition(g, bounds.order);
        return std::pair(std::move(bounds), std::move(made));
    });
    from.finish(false);
    return std::tuple(found.lower, found.upper, std::move(found.heuristic), std::move(found.order),
                      std::move(tree.bags), std::move(tree.edges));
}

}  // namespace

void add_solvers(nb::module_& m) {
    using namespace nb::literals;
    m.def("assign_offsets", &assign_offsets, "lifetimes"_a, "sizes"_a, "alignments"_a, "pinned"_a, "capacity"_a.none(),
          "seconds"_a.none(), "work"_a.none(), "stop"_a.none());
    m.def("assign_pools", &assign_pools, "lifetimes"_a, "sizes"_a, "alignments"_a, "pinned"_a, "capacities"_a,
          "required"_a, "priorities"_a, "traffic"_a, "costs"_a, "accesses"_a, "seconds"_a.none(), "work"_a.none(),
          "stop"_a.none());
    nb::class_<chain_curve>(m, "ChainCurve")
        .def("__init__", &init_chain, "forward_times"_a, "backward_times"_a, "outputs"_a, "gradients"_a, "workspaces"_a,
             "tapes"_a, "input"_a, "input_gradient"_a, "last_budget"_a.none(), "drop_saved_inputs"_a, "epsilon"_a,
             "seconds"_a.none(), "work"_a.none(), "stop"_a.none())
        .def_prop_ro("curve", &chain_curve::curve)
        .def_prop_ro("keep_all", &chain_curve::keep_all)
        .def("within", &chain_curve::within, "budget"_a);
    m.def("find_treewidth", &find_treewidth, "vertices"_a, "edges"_a, "seconds"_a.none(), "work"_a.none(),
          "stop"_a.none(), "seed"_a, "threads"_a);
}

}  // namespace repebble_python
