// Strategies by name, and the constants of the planner with their ranges.
#include "registry.hpp"

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

#include <repebble/graph/error.hpp>
#include <repebble/planner/strategies.hpp>

#include "caller.hpp"
#include "found_plan.hpp"
#include "problem.hpp"

namespace repebble_python {

auto effort_of(named_values const& changed) -> repebble::effort {
    repebble::effort made;
    for (auto const& [name, value] : changed) repebble::set_effort(made, name, value);
    return made;
}

namespace {

using strategy_row = std::tuple<std::string, std::string, bool, bool, bool>;
using constant_row = std::tuple<std::string, double, double, double, bool, std::string>;

[[nodiscard]] auto row_of(repebble::strategy const& s) -> strategy_row {
    return {std::string(s.name), std::string(s.summary), s.takes_budget, s.needs_gradients, s.is_slow};
}

[[nodiscard]] auto strategies() {
    std::vector<strategy_row> rows;
    for (auto const& s : repebble::strategies()) rows.push_back(row_of(s));
    return rows;
}

[[nodiscard]] auto effort_constants() {
    std::vector<constant_row> rows;
    for (auto const& c : repebble::effort_constants)
        rows.emplace_back(c.name, c.usual, c.least, c.most, c.is_whole(), c.sentence);
    return rows;
}

/// The plan of a strategy, and whether Ctrl-C ended it.
[[nodiscard]] auto plan_by(std::string const& name, problem const& of, std::optional<std::int64_t> budget,
                           bool least_memory, bool nearest, bool by_formula, bool keep_last,
                           std::optional<double> epsilon, std::size_t kept, std::size_t threads,
                           std::optional<double> seconds, std::optional<std::size_t> work, nb::object stop,
                           nb::object progress) -> std::pair<found_plan, bool> {
    caller from(seconds, work, std::move(stop), std::move(progress));
    auto found = from.run([&] {
        auto const plan = repebble::find_strategy(name)(
            of.planned(), budget,
            {.goal = least_memory ? repebble::objective::memory : repebble::objective::time,
             .nearest = nearest,
             .judge = by_formula ? repebble::judged_by::formula : repebble::judged_by::replayed,
             .keep_last = keep_last,
             .epsilon = epsilon,
             .kept = kept,
             .threads = threads,
             .limits = from.limits(),
             .progress = [&](double share) { from.progress(share); }});
        found_plan made{.strategy = name};
        if (plan) made.add(of, *plan);
        return made;
    });
    auto const interrupted = from.finish(found.exists);
    return {std::move(found), interrupted};
}

}  // namespace

void add_registry(nb::module_& m) {
    using namespace nb::literals;
    m.def("strategies", &strategies);
    m.def(
        "find_strategy", [](std::string const& name) { return row_of(repebble::find_strategy(name)); }, "name"_a);
    m.def("effort_constants", &effort_constants);
    m.def("plan_by", &plan_by, "name"_a, "problem"_a, "budget"_a.none(), "least_memory"_a, "nearest"_a, "by_formula"_a,
          "keep_last"_a, "epsilon"_a.none(), "kept"_a, "threads"_a, "seconds"_a.none(), "work"_a.none(),
          "stop"_a.none(), "progress"_a.none());
}

}  // namespace repebble_python
