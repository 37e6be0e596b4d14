// Offsets of buffers, chains of stages and treewidth, over lists of numbers.
#include "solvers.hpp"

#include <algorithm>
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
#include <repebble/chains/bytes_to_keep_all.hpp>
#include <repebble/chains/chain.hpp>
#include <repebble/chains/solve_chain.hpp>
#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/treewidth/treewidth.hpp>

namespace nb = nanobind;

namespace repebble_python {
namespace {

using numbers = std::vector<std::int64_t>;
using pairs = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Offsets, height, lower bound and what is proven. Requires: all lists are as long as the first.
[[nodiscard]] auto assign_offsets(pairs const& lifetimes, numbers const& sizes, numbers const& alignments,
                                  std::vector<std::optional<std::int64_t>> const& pinned,
                                  std::optional<std::int64_t> capacity, std::optional<double> time_limit,
                                  double effort) {
    nb::gil_scoped_release const released;
    std::vector<repebble::buffer> buffers(lifetimes.size());
    for (std::size_t i = 0; i < buffers.size(); ++i)
        buffers[i] = {.lifetime = {lifetimes[i].first, lifetimes[i].second},
                      .size = sizes[i],
                      .alignment = alignments[i],
                      .pinned = pinned[i]};
    if (!(effort >= 0)) throw repebble::bad_buffer("an effort cannot be negative: " + std::to_string(effort));
    auto const work =
        static_cast<std::size_t>(std::min(effort * static_cast<double>(repebble::offset_options::default_work), 1e18));
    auto found =
        repebble::assign_offsets(buffers, {.capacity = capacity, .limits = {.seconds = time_limit, .work = work}});
    constexpr std::array proofs{"none", "least", "infeasible"};
    return std::tuple(std::move(found.offsets), found.height, found.lower_bound,
                      std::string(proofs[static_cast<std::size_t>(found.proof)]));
}

/// A solved chain.
class chain_curve {
  public:
    using tape = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>;  // saved, workspaces, extra time
    using action = std::tuple<std::string, std::uint32_t, std::uint32_t>;

    chain_curve(repebble::chain const& of, repebble::chain_options const& options)
        : frontier_(repebble::solve_chain(of, options)), keep_all_(repebble::bytes_to_keep_all(of)) {}

    [[nodiscard]] auto curve() const -> pairs {
        pairs all;
        for (auto const& [budget, time] : frontier_.curve()) all.emplace_back(budget, time);
        return all;
    }
    [[nodiscard]] auto keep_all() const noexcept -> std::int64_t { return keep_all_; }
    /// Time, lower bound and actions; nothing where no plan fits.
    [[nodiscard]] auto within(std::int64_t budget) const
        -> std::optional<std::tuple<std::int64_t, std::int64_t, std::vector<action>>> {
        nb::gil_scoped_release const released;
        auto const found = frontier_.actions_within(budget);
        if (!found) return std::nullopt;
        std::vector<action> actions;
        constexpr std::array names{"forward", "save", "backward"};
        for (auto const& [what, stage, number] : *found)
            actions.emplace_back(names[static_cast<std::size_t>(what)], stage, number);
        return std::tuple(*frontier_.time_within(budget), *frontier_.lower_bound(budget), std::move(actions));
    }

  private:
    repebble::chain_frontier frontier_;
    std::int64_t keep_all_;
};

void init_chain(chain_curve* self, numbers const& forward, numbers const& backward, numbers const& outputs,
                numbers const& gradients, numbers const& workspaces,
                std::vector<std::vector<chain_curve::tape>> const& tapes, std::int64_t input,
                std::int64_t input_gradient, std::optional<std::int64_t> budget, bool drop_saved_inputs,
                double epsilon) {
    nb::gil_scoped_release const released;
    repebble::chain of{.input = input, .input_gradient = input_gradient};
    for (std::size_t i = 0; i < forward.size(); ++i) {
        auto& stage = of.stages.emplace_back(
            repebble::chain_stage{forward[i], backward[i], outputs[i], gradients[i], workspaces[i], {}});
        for (auto const& [saved, forward_workspace, backward_workspace, extra] : tapes[i])
            stage.tapes.push_back({saved, forward_workspace, backward_workspace, extra});
    }
    new (self) chain_curve(of, {.drop_saved_inputs = drop_saved_inputs, .epsilon = epsilon, .last_budget = budget});
}

/// Lower and upper bound, heuristic, order, bags and edges between bags.
[[nodiscard]] auto treewidth(std::size_t vertices, std::vector<std::pair<std::uint32_t, std::uint32_t>> const& edges,
                             std::optional<double> time_limit, std::size_t most_states, std::uint64_t seed,
                             std::size_t threads) {
    nb::gil_scoped_release const released;
    repebble::undirected_graph const g(vertices, edges);
    auto found = repebble::find_treewidth(
        g, {.limits = {.seconds = time_limit, .work = most_states}, .seed = seed, .threads = threads});
    auto tree = repebble::make_tree_decomposition(g, found.order);
    return std::tuple(found.lower, found.upper, std::move(found.heuristic), std::move(found.order),
                      std::move(tree.bags), std::move(tree.edges));
}

}  // namespace

void add_solvers(nb::module_& m) {
    using namespace nb::literals;
    m.def("assign_offsets", &assign_offsets, "lifetimes"_a, "sizes"_a, "alignments"_a, "pinned"_a, "capacity"_a.none(),
          "time_limit"_a.none(), "effort"_a);
    nb::class_<chain_curve>(m, "ChainCurve")
        .def("__init__", &init_chain, "forward_times"_a, "backward_times"_a, "outputs"_a, "gradients"_a, "workspaces"_a,
             "tapes"_a, "input"_a, "input_gradient"_a, "budget"_a.none(), "drop_saved_inputs"_a, "epsilon"_a)
        .def_prop_ro("curve", &chain_curve::curve)
        .def_prop_ro("keep_all", &chain_curve::keep_all)
        .def("within", &chain_curve::within, "budget"_a);
    m.def("treewidth", &treewidth, "vertices"_a, "edges"_a, "time_limit"_a.none(), "most_states"_a, "seed"_a,
          "threads"_a);
}

}  // namespace repebble_python
