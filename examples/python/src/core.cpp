// The module repebble._core: graphs, plans and replays. The Python files beside it give them their public form.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
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
#include <repebble/allocate/lifetimes.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/io/bad_file.hpp>
#include <repebble/io/parse_link.hpp>
#include <repebble/pebbling/host_link.hpp>
#include <repebble/pebbling/lanes_clock.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/plan.hpp>
#include <repebble/planner/find_largest_size.hpp>
#include <repebble/planner/find_least_budget.hpp>
#include <repebble/planner/find_memory_floor.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "caller.hpp"
#include "found_plan.hpp"
#include "networks.hpp"
#include "orders.hpp"
#include "pipelines.hpp"
#include "problem.hpp"
#include "registry.hpp"
#include "solvers.hpp"

namespace repebble_python {
namespace {

/// Bytes, the time in which a link moves them, its latency, and whether it is half duplex.
using link_numbers = std::tuple<std::int64_t, std::int64_t, std::int64_t, bool>;

[[nodiscard]] auto link_of(std::optional<link_numbers> const& numbers) -> std::optional<repebble::host_link> {
    if (!numbers) return std::nullopt;
    auto const& [size, time, latency, half_duplex] = *numbers;
    return repebble::host_link{.size = size, .time = time, .latency = latency, .half_duplex = half_duplex};
}

/// Wishes for copies and for single values.
struct demands {
    std::optional<link_numbers> link{};
    std::optional<std::int64_t> host_budget{};
    index_list must_keep{}, must_recompute{};
};

/// Result of a search; where it refuses the graph, its message has the names of the graph.
template <class Search>
[[nodiscard]] auto named(problem const& of, Search const& search) {
    try {
        return search();
    } catch (repebble::bad_graph const& e) {
        throw repebble::bad_graph(of.renamed(e.what()));
    }
}

/// The options of a search.
[[nodiscard]] auto options_of(problem const& of, caller& from, double gap, std::uint64_t seed, std::size_t threads,
                              bool arena, named_values const& effort, demands const& asked) -> repebble::plan_options {
    repebble::plan_options options;
    options.limits = from.limits();
    options.gap = gap;
    options.seed = seed;
    options.threads = threads;
    options.arena = arena;
    options.effort = effort_of(effort);
    options.link = link_of(asked.link);
    options.host_budget = asked.host_budget;
    options.policies = of.policies_of(asked.must_keep, asked.must_recompute);
    return options;
}

[[nodiscard]] auto keep_all(problem const& of) -> found_plan {
    without_gil const released;
    // Nothing has less overhead.
    found_plan found{.proven = true, .strategy = "keep_all"};
    found.add(of, repebble::keep_all(of.flow()));
    found.add(of, repebble::find_memory_floor(of.flow()));
    return found;
}

/// Bytes that are needed, and the operation that needs them.
[[nodiscard]] auto memory_floor(problem const& of) {
    without_gil const released;
    found_plan found;
    found.add(of, repebble::find_memory_floor(of.planned()));
    return std::pair(found.floor, found.floor_operation);
}

/// The least budget for which a plan was found, 0 where none was; its plan, with the floor; and whether Ctrl-C ended
/// the search.
[[nodiscard]] auto least_budget(problem const& of, std::optional<double> seconds, std::optional<std::size_t> work,
                                nb::object stop, double gap, std::uint64_t seed, std::size_t threads, bool arena,
                                named_values const& effort, demands const& asked, nb::object progress)
    -> std::tuple<std::int64_t, found_plan, bool> {
    caller from(seconds, work, std::move(stop), std::move(progress));
    auto [budget, plan] = from.run([&] {
        auto const options = options_of(of, from, gap, seed, threads, arena, effort, asked);
        auto const found = named(of, [&] { return repebble::find_least_budget(of.planned(), options, from); });
        auto made = found_plan::of(of, found.plan);
        made.add(of, found.needed);
        return std::pair(std::int64_t{found.found}, std::move(made));
    });
    auto const interrupted = from.finish(plan.exists);
    return {budget, std::move(plan), interrupted};
}

/// The sizes that `find_largest_size` finds, the plan, and whether Ctrl-C ended the search. `at(size)` is the problem
/// of a size, `beside(size)` the bytes beside it.
[[nodiscard]] auto largest_size(nb::callable const& at, nb::callable const& beside, std::int64_t budget,
                                std::uint64_t least, std::uint64_t most, std::optional<double> overhead,
                                std::optional<double> seconds, std::optional<std::size_t> work, nb::object stop,
                                double gap, std::uint64_t seed, std::size_t threads, bool arena,
                                named_values const& effort, demands const& asked, nb::object progress)
    -> std::tuple<std::uint64_t, std::uint64_t, std::optional<std::uint64_t>, found_plan, bool> {
    caller from(seconds, work, std::move(stop), std::move(progress));
    auto const any = at(least);
    auto const options = options_of(nb::cast<problem const&>(any), from, gap, seed, threads, arena, effort, asked);
    auto const largest = from.run([&] {
        auto const holding = [](auto const& asks) {
            std::optional<interpreter_end::delay> delay(std::in_place);
            if (interpreter_end::is_near()) {
                delay.reset();
                interpreter_end::await();
            }
            nb::gil_scoped_acquire const held;
            return asks();
        };
        auto const family = [&](std::uint64_t size) {
            return holding([&]() -> repebble::problem {
                auto const of = at(size);
                return nb::cast<problem const&>(of).planned();
            });
        };
        auto const around = [&](std::uint64_t size) {
            return holding([&] { return nb::cast<std::int64_t>(beside(size)); });
        };
        return repebble::find_largest_size(family, budget, options, {least, most, overhead, around}, from);
    });
    auto const interrupted = from.finish(largest.found > 0);
    auto const of = at(largest.found > 0 ? largest.found : least);
    return {largest.found, largest.kept, largest.impossible, found_plan::of(nb::cast<problem const&>(of), largest.plan),
            interrupted};
}

[[nodiscard]] auto plans(problem const& of, std::vector<std::int64_t> const& budgets, std::optional<double> seconds,
                         std::optional<std::size_t> work, nb::object stop, double gap, std::uint64_t seed,
                         std::size_t threads, bool arena, named_values const& effort, demands const& asked,
                         nb::object progress) -> std::pair<std::vector<found_plan>, bool> {
    caller from(seconds, work, std::move(stop), std::move(progress));
    auto all = from.run([&] {
        auto const options = options_of(of, from, gap, seed, threads, arena, effort, asked);
        std::vector<found_plan> made;
        for (auto const& found : named(of, [&] { return repebble::plan(of.planned(), budgets, options, from); }))
            made.push_back(found_plan::of(of, found));
        return made;
    });
    auto const interrupted = from.finish(std::ranges::any_of(all, &found_plan::exists));
    return {std::move(all), interrupted};
}

/// Sizes of the gradients; for each operation of the backward pass that of the graph, which addition it is, if one,
/// what it reads and writes.
[[nodiscard]] auto gradients(problem const& of, std::vector<index_list> const& needs, std::vector<int> const& passes,
                             std::string const& convention) {
    constexpr std::array all{repebble::convention::value_grad, repebble::convention::op_backward,
                             repebble::convention::executable};
    auto const how = std::ranges::find(all, convention, [](auto c) { return std::string(to_string(c)); });
    if (how == all.end())
        throw repebble::bad_option("no convention \"" + convention +
                                   "\": there are value_grad, op_backward, executable");
    auto const built = of.gradients(needs, passes, *how);
    std::vector<std::tuple<std::int64_t, std::optional<std::int64_t>, index_list, index_list>> operations;
    for (auto const& o : built.operations) operations.emplace_back(o.of, o.adds, o.reads, o.writes);
    return std::pair(built.sizes, std::move(operations));
}

using step_list = std::vector<std::pair<int, std::int64_t>>;  // a graph_action, and of what

/// Some steps of a plan, which has millions now and then.  Requires: begin <= end.
[[nodiscard]] auto steps_between(found_plan const& of, std::size_t begin, std::size_t end) {
    step_list some;
    for (auto i = begin; i < std::min(end, of.steps.size()); ++i)
        some.emplace_back(static_cast<int>(of.steps[i].what), of.steps[i].index);
    return some;
}

[[nodiscard]] auto steps_of(step_list const& steps) -> std::vector<graph_step> {
    std::vector<graph_step> all;
    for (auto const& [what, index] : steps) all.push_back({static_cast<graph_action>(what), index});
    return all;
}

/// The schedule of computations, with the earliest discards.  Requires: numbers of operations.
[[nodiscard]] auto schedule_of_computations(problem const& of, std::vector<repebble::operation_index> const& all) {
    without_gil const released;
    step_list steps;
    for (auto const& [what, index] : of.steps_of(repebble::make_schedule(of.flow(), all)))
        steps.emplace_back(static_cast<int>(what), index);
    return steps;
}

/// What a schedule breaks, in terms of the graph.
[[nodiscard]] auto in_words_of(problem const& of, std::vector<graph_step> const& all, repebble::violation broken)
    -> repebble::violation {
    broken.message = of.renamed(broken.message);
    broken.step -= std::min(broken.step, of.input_steps());
    auto const what = broken.step < all.size() ? all[broken.step].what : graph_action::compute;
    bool const never = broken.broken == repebble::rule::repetition_counts;
    char const* const why = what == graph_action::discard            ? "is discarded, but is not resident"
                            : what == graph_action::discard_host     ? "is discarded from the host, but is not there"
                            : what != graph_action::compute && never ? "is copied, but was not computed"
                                                                     : nullptr;
    if (why != nullptr)
        broken.message = "step " + std::to_string(broken.step) + ": " +
                         of.value_name(static_cast<std::size_t>(all[broken.step].index)) + " " + why;
    return broken;
}

/// Peak, time, overhead, number of recomputations, the bytes of every step, the host's peak, bytes copied out and in,
/// and stalls.
[[nodiscard]] auto replay(problem const& of, step_list const& steps, std::optional<link_numbers> const& link) {
    without_gil const released;
    auto const all = steps_of(steps);
    auto const plan = of.schedule_of(all);
    auto verdict =
        link ? repebble::verify_schedule(of.flow(), plan, {.profile = true}, repebble::lanes_clock(*link_of(link)))
             : repebble::verify_schedule(of.flow(), plan, {.profile = true});
    if (verdict.broken) throw repebble::illegal_schedule(in_words_of(of, all, *verdict.broken));
    auto& r = verdict.result;
    r.profile.erase(r.profile.begin(), r.profile.begin() + static_cast<std::ptrdiff_t>(of.input_steps()));
    return std::tuple(r.peak, r.time, r.overhead, r.recomputations, std::move(r.profile), r.host_peak, r.bytes_out,
                      r.bytes_in, std::tuple(r.stalls.for_data, r.stalls.for_memory, r.stalls.at_end));
}

/// A buffer of a schedule: whether it is a workspace, the operation that has it or the value with which it begins, the
/// run of its operation, the first step and the one after the last, and bytes.
using lifetime_row = std::tuple<bool, std::int64_t, std::uint32_t, std::int64_t, std::int64_t, std::int64_t>;

[[nodiscard]] auto lifetimes(problem const& of, step_list const& steps, bool on_host) -> std::vector<lifetime_row> {
    without_gil const released;
    auto const all = steps_of(steps);
    try {
        auto const [buffers, uses] = repebble::find_lifetimes(of.flow(), of.schedule_of(all), 1,
                                                              on_host ? repebble::pool::host : repebble::pool::device);
        auto const step = [&](std::int64_t i) { return std::max<std::int64_t>(i - std::int64_t(of.input_steps()), 0); };
        std::vector<lifetime_row> rows;
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            auto const& use = uses[i];
            bool const works = use.what == repebble::buffer_use::kind::workspace;
            rows.emplace_back(works, works ? std::int64_t{use.operation} : of.value_of(use.storage.value),
                              works ? use.repetition : use.storage.computation, step(buffers[i].lifetime.lower),
                              step(buffers[i].lifetime.upper), buffers[i].size);
        }
        return rows;
    } catch (repebble::illegal_schedule const& e) {
        throw repebble::illegal_schedule(in_words_of(of, all, e.what_broke));
    }
}

/// Raises the exception of that name in repebble._errors.
void raise_as(char const* name, std::exception const& e, repebble::violation const* broken = nullptr) {
    auto const type = nb::module_::import_("repebble._errors").attr(name);
    auto const raised =
        type(nb::steal(PyUnicode_DecodeUTF8(e.what(), std::ssize(std::string_view(e.what())), "replace")));
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
    } catch (repebble::bad_file const& e) {
        raise_as("BadFile", e);
    } catch (repebble::bad_option const& e) {
        raise_as("BadOption", e);
    } catch (repebble::limit_reached const& e) {
        raise_as("LimitReached", e);
    } catch (repebble::error const& e) {
        raise_as("Error", e);
    } catch (std::bad_alloc const&) {
        PyErr_SetString(PyExc_MemoryError, "repebble: not enough memory");
    } catch (std::length_error const&) {  // of a container that no memory could hold
        PyErr_SetString(PyExc_MemoryError, "repebble: not enough memory");
    }
}

}  // namespace
}  // namespace repebble_python

// nanobind's types are those of one interpreter, the first that imports the module: PyInit__core asks which that is.
#define PyInit__core PyInit_core_of_main_interpreter
NB_MODULE(_core, m) {
#undef PyInit__core
    using namespace repebble_python;
    using namespace nb::literals;
    static PyObject* made_before = nullptr;
    if (made_before != nullptr) {  // imported again, after it was taken out of sys.modules
        nb::dict const made = nb::borrow<nb::dict>(made_before);
        for (auto const& [name, value] : made) nb::setattr(m, name, value);
        return;
    }
    nb::set_leak_warnings(false);  // of daemon threads that still plan when the interpreter ends
    nb::register_exception_translator(translate);
    nb::module_::import_("atexit").attr("register")(nb::cpp_function(&interpreter_end::announce));

    nb::class_<found_plan>(m, "FoundPlan")
        .def_ro("exists", &found_plan::exists)
        .def_prop_ro("step_count", [](found_plan const& of) { return of.steps.size(); })
        .def("steps_between", &steps_between, "begin"_a, "end"_a)
        .def_ro("peak", &found_plan::peak)
        .def_ro("time", &found_plan::time)
        .def_ro("overhead", &found_plan::overhead)
        .def_ro("lower_bound", &found_plan::lower_bound)
        .def_ro("base_order_bound", &found_plan::base_order_bound)
        .def_ro("host_peak", &found_plan::host_peak)
        .def_ro("bytes_out", &found_plan::bytes_out)
        .def_ro("bytes_in", &found_plan::bytes_in)
        .def_ro("stalls", &found_plan::stalls)
        .def_ro("proven", &found_plan::proven)
        .def_ro("gap", &found_plan::gap)
        .def_ro("floor", &found_plan::floor)
        .def_ro("floor_operation", &found_plan::floor_operation)
        .def_ro("strategy", &found_plan::strategy);
    nb::class_<demands>(m, "Demands")
        .def(
            "__init__",
            [](demands* self, std::optional<link_numbers> link, std::optional<std::int64_t> host_budget,
               index_list must_keep, index_list must_recompute) {
                new (self) demands{std::move(link), host_budget, std::move(must_keep), std::move(must_recompute)};
            },
            "link"_a.none(), "host_budget"_a.none(), "must_keep"_a, "must_recompute"_a);
    nb::class_<problem>(m, "Problem")
        .def(
            "__init__",
            [](problem* self, index_list sizes, std::vector<int> results, std::vector<int> donated,
               std::vector<index_list> view_of, std::vector<std::string> value_names, index_list times,
               index_list workspaces, std::vector<int> recomputable, std::vector<index_list> reads,
               std::vector<index_list> writes, std::vector<index_list> after, std::vector<index_list> mutates,
               std::vector<std::string> operation_names, std::vector<int> backward, bool inputs) {
                without_gil const released;
                new (self) problem({std::move(sizes), std::move(results), std::move(donated), std::move(view_of),
                                    std::move(value_names), std::move(times), std::move(workspaces),
                                    std::move(recomputable), std::move(reads), std::move(writes), std::move(after),
                                    std::move(mutates), std::move(operation_names), std::move(backward), inputs});
            },
            "sizes"_a, "results"_a, "donated"_a, "view_of"_a, "value_names"_a, "times"_a, "workspaces"_a,
            "recomputable"_a, "reads"_a, "writes"_a, "after"_a, "mutates"_a, "operation_names"_a, "backward"_a,
            "inputs"_a)
        .def_prop_ro("has_gradients", [](problem const& of) { return of.training() != nullptr; })
        .def("memory_floor", &memory_floor)
        .def("least_budget", &least_budget, "seconds"_a.none(), "work"_a.none(), "stop"_a.none(), "gap"_a, "seed"_a,
             "threads"_a, "arena"_a, "effort"_a, "demands"_a, "progress"_a.none())
        .def("keep_all", &keep_all)
        .def("plans", &plans, "budgets"_a, "seconds"_a.none(), "work"_a.none(), "stop"_a.none(), "gap"_a, "seed"_a,
             "threads"_a, "arena"_a, "effort"_a, "demands"_a, "progress"_a.none())
        .def("gradients", &gradients, "needs"_a, "passes"_a, "convention"_a)
        .def("replay", &replay, "steps"_a, "link"_a.none())
        .def("schedule_of", &schedule_of_computations, "computations"_a)
        .def("lifetimes", &lifetimes, "steps"_a, "on_host"_a);
    m.def("largest_size", &largest_size, "at"_a, "beside"_a, "budget"_a, "least"_a, "most"_a, "overhead"_a.none(),
          "seconds"_a.none(), "work"_a.none(), "stop"_a.none(), "gap"_a, "seed"_a, "threads"_a, "arena"_a, "effort"_a,
          "demands"_a, "progress"_a.none());
    m.def(
        "parse_link",
        [](std::string const& text) {
            auto const via = repebble::io::parse_link(text);
            return link_numbers(via.size, via.time, via.latency, via.half_duplex);
        },
        "text"_a);
    add_registry(m);
    add_networks(m);
    add_orders(m);
    add_solvers(m);
    add_pipelines(m);
    nb::dict made;
    for (auto const& [name, value] : nb::borrow<nb::dict>(m.attr("__dict__")))
        if (!nb::cast<std::string>(name).starts_with("__")) made[name] = value;
    made_before = made.release().ptr();
}

extern "C" NB_EXPORT auto PyInit__core() -> PyObject* {
    if (PyInterpreterState_GetID(PyInterpreterState_Get()) == 0) return PyInit_core_of_main_interpreter();
    PyErr_SetString(PyExc_ImportError, "repebble runs in the main interpreter of a process, not in sub-interpreters");
    return nullptr;
}
