// The module repebble._core: graphs, plans and replays. The Python files beside it give them their public form.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <repebble/allocate/buffer.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/plan.hpp>
#include <repebble/planner/find_least_budget.hpp>
#include <repebble/planner/find_memory_floor.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "problem.hpp"
#include "solvers.hpp"

namespace nb = nanobind;

namespace repebble_python {
namespace {

using step_list = std::vector<std::pair<bool, std::int64_t>>;  // whether it computes, and what

/// A plan, or the proof or failure that there is none.
struct found_plan {
    bool exists = false;
    step_list steps{};
    std::int64_t peak = 0, time = 0, overhead = 0, lower_bound = 0;
    bool proven = false;
    double gap = 0;
    std::int64_t floor = 0;
    std::optional<std::int64_t> floor_operation{};
    std::string strategy{};
};

/// Calls Python at most every fiftieth of a second: the signals, and the caller's function. The first exception of
/// either ends the search and is kept.
class python_observer {
  public:
    explicit python_observer(nb::object callback) : callback_(std::move(callback)) {}

    void progress(double share) { share_ = share; }
    void improved(std::int64_t overhead, std::int64_t lower_bound) {
        overhead_ = overhead;
        lower_bound_ = lower_bound;
    }
    [[nodiscard]] auto should_stop() -> bool {
        if (raised_) return true;
        auto const now = clock::now();
        if (now - last_ < interval) return false;
        nb::gil_scoped_acquire const held;
        try {
            if (PyErr_CheckSignals() != 0) nb::raise_python_error();
            if (!callback_.is_none()) callback_(share_, overhead_, lower_bound_);
        } catch (nb::python_error& e) {
            raised_.emplace(std::move(e));
        }
        last_ = clock::now();
        return raised_.has_value();
    }
    /// Throws what was raised, unless it is a KeyboardInterrupt and there is a plan. Returns whether there was one.
    auto finish(bool has_plan) -> bool {
        if (raised_ && !(has_plan && raised_->matches(PyExc_KeyboardInterrupt))) throw std::move(*raised_);
        return raised_.has_value();
    }

  private:
    using clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds interval{50};

    nb::object callback_;
    double share_ = 0;
    std::optional<std::int64_t> overhead_;
    std::int64_t lower_bound_ = 0;
    clock::time_point last_ = clock::now();
    std::optional<nb::python_error> raised_;
};

[[nodiscard]] auto list_of(std::vector<graph_step> const& steps) -> step_list {
    step_list all;
    all.reserve(steps.size());
    for (auto const& [compute, index] : steps) all.emplace_back(compute, index);
    return all;
}

void add_plan(found_plan& to, problem const& of, repebble::recompute_plan<> const& plan) {
    to.exists = true;
    to.steps = list_of(of.steps_of(plan.schedule));
    to.peak = plan.cost.peak;
    to.time = plan.cost.time;
    to.overhead = plan.cost.overhead;
}

void add_floor(found_plan& to, problem const& of, repebble::memory_floor<> const& floor) {
    to.floor = floor.size;
    if (floor.size > 0 && of.is_operation(floor.vertex)) to.floor_operation = floor.vertex;
}

[[nodiscard]] auto keep_all(problem const& of) -> found_plan {
    nb::gil_scoped_release const released;
    // Nothing has less overhead. A budget of nothing has the floor at once.
    found_plan found{.proven = true, .strategy = "keep_all"};
    add_plan(found, of, repebble::keep_all(of.flow()));
    add_floor(found, of, repebble::find_memory_floor(of.flow()));
    return found;
}

/// The least budget for which a little work finds a plan; 0 where the seconds are over before.
[[nodiscard]] auto least_budget(problem const& of, double seconds, std::uint64_t seed, bool arena) -> std::int64_t {
    nb::gil_scoped_release const released;
    repebble::plan_options options{.limits = {.seconds = seconds, .work = 0}, .seed = seed, .arena = arena};
    return repebble::find_least_budget(of.planned(), options).found;
}

[[nodiscard]] auto plans(problem const& of, std::vector<std::int64_t> const& budgets, std::optional<double> time_limit,
                         std::optional<std::size_t> moves, double gap, std::uint64_t seed, std::size_t threads,
                         bool arena, nb::object progress) -> std::pair<std::vector<found_plan>, bool> {
    python_observer observer(std::move(progress));
    std::vector<found_plan> all;
    bool has_plan = false;
    {
        nb::gil_scoped_release const released;
        repebble::plan_options options;
        options.limits = {.seconds = time_limit, .work = moves, .stop = [&] { return observer.should_stop(); }};
        options.gap = gap;
        options.seed = seed;
        options.threads = threads;
        options.arena = arena;
        for (auto const& f : repebble::plan(of.planned(), budgets, options, observer)) {
            auto& to = all.emplace_back(found_plan{
                .lower_bound = f.lower_bound, .proven = f.proven, .gap = f.plan ? f.gap() : 0, .strategy = f.strategy});
            add_floor(to, of, f.floor);
            if (f.plan) add_plan(to, of, *f.plan);
            has_plan = has_plan || f.plan;
        }
    }
    return {std::move(all), observer.finish(has_plan)};
}

/// Peak, time, overhead, number of recomputations, and the bytes of every step.
[[nodiscard]] auto replay(problem const& of, step_list const& steps) {
    nb::gil_scoped_release const released;
    std::vector<graph_step> all;
    for (auto const& [compute, index] : steps) all.push_back({compute, index});
    auto verdict = repebble::verify_schedule(of.flow(), of.schedule_of(all), {.profile = true});
    if (verdict.broken) {
        auto broken = *verdict.broken;
        broken.message = of.renamed(broken.message);
        broken.step -= std::min(broken.step, of.input_steps());
        if (broken.step < all.size() && !all[broken.step].compute)
            broken.message = "step " + std::to_string(broken.step) + ": " +
                             of.value_name(static_cast<std::size_t>(all[broken.step].index)) +
                             " is discarded, but is not resident";
        throw repebble::illegal_schedule(std::move(broken));
    }
    auto& r = verdict.result;
    r.profile.erase(r.profile.begin(), r.profile.begin() + static_cast<std::ptrdiff_t>(of.input_steps()));
    return std::tuple(r.peak, r.time, r.overhead, r.recomputations, std::move(r.profile));
}

/// Raises the exception of that name in repebble._errors.
void raise_as(char const* name, std::exception const& e, repebble::violation const* broken = nullptr) {
    auto const type = nb::module_::import_("repebble._errors").attr(name);
    auto const raised = type(e.what());
    if (broken != nullptr) {
        nb::setattr(raised, "step", nb::int_(broken->step));
        nb::setattr(raised, "rule", nb::str(to_string(broken->broken)));
    }
    PyErr_SetObject(type.ptr(), raised.ptr());
}

void translate(std::exception_ptr const& thrown, void*) {
    try {
        std::rethrow_exception(thrown);
    } catch (repebble::illegal_schedule const& e) {
        raise_as("IllegalSchedule", e, &e.what_broke);
    } catch (repebble::bad_buffer const& e) {
        raise_as("BadBuffer", e);
    } catch (repebble::not_a_dag const& e) {
        raise_as("NotADag", e);
    } catch (repebble::bad_graph const& e) {
        raise_as("BadGraph", e);
    } catch (repebble::bad_weight const& e) {
        raise_as("BadWeight", e);
    } catch (repebble::bad_option const& e) {
        raise_as("BadOption", e);
    } catch (repebble::limit_reached const& e) {
        raise_as("LimitReached", e);
    } catch (repebble::error const& e) {
        raise_as("Error", e);
    }
}

}  // namespace
}  // namespace repebble_python

NB_MODULE(_core, m) {
    using namespace repebble_python;
    using namespace nb::literals;
    nb::register_exception_translator(translate);

    nb::class_<found_plan>(m, "FoundPlan")
        .def_ro("exists", &found_plan::exists)
        .def_ro("steps", &found_plan::steps)
        .def_ro("peak", &found_plan::peak)
        .def_ro("time", &found_plan::time)
        .def_ro("overhead", &found_plan::overhead)
        .def_ro("lower_bound", &found_plan::lower_bound)
        .def_ro("proven", &found_plan::proven)
        .def_ro("gap", &found_plan::gap)
        .def_ro("floor", &found_plan::floor)
        .def_ro("floor_operation", &found_plan::floor_operation)
        .def_ro("strategy", &found_plan::strategy);
    nb::class_<problem>(m, "Problem")
        .def(
            "__init__",
            [](problem* self, index_list sizes, std::vector<int> results, std::vector<index_list> view_of,
               std::vector<std::string> value_names, index_list times, index_list workspaces,
               std::vector<int> recomputable, std::vector<index_list> reads, std::vector<index_list> writes,
               std::vector<index_list> after, std::vector<index_list> mutates, std::vector<std::string> operation_names,
               std::vector<int> backward, bool inputs) {
                nb::gil_scoped_release const released;
                new (self) problem({std::move(sizes), std::move(results), std::move(view_of), std::move(value_names),
                                    std::move(times), std::move(workspaces), std::move(recomputable), std::move(reads),
                                    std::move(writes), std::move(after), std::move(mutates), std::move(operation_names),
                                    std::move(backward), inputs});
            },
            "sizes"_a, "results"_a, "view_of"_a, "value_names"_a, "times"_a, "workspaces"_a, "recomputable"_a,
            "reads"_a, "writes"_a, "after"_a, "mutates"_a, "operation_names"_a, "backward"_a, "inputs"_a)
        .def("least_budget", &least_budget, "seconds"_a, "seed"_a, "arena"_a)
        .def("keep_all", &keep_all)
        .def("plans", &plans, "budgets"_a, "time_limit"_a.none(), "moves"_a.none(), "gap"_a, "seed"_a, "threads"_a,
             "arena"_a, "progress"_a.none())
        .def("replay", &replay, "steps"_a);
    add_solvers(m);
}
