#include "strategies.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <functional>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <repebble/allocate/arena.hpp>
#include <repebble/allocate/lifetimes.hpp>
#include <repebble/allocate/live_bytes.hpp>
#include <repebble/graph/dataflow/edit.hpp>
#include <repebble/graph/dataflow/usable_overwrites.hpp>
#include <repebble/io/network_mirror.hpp>
#include <repebble/io/parse_link.hpp>
#include <repebble/pebbling/verify_policies.hpp>
#include <repebble/plan.hpp>
#include <repebble/planner/find_least_budget.hpp>
#include <repebble/planner/find_memory_floor.hpp>
#include <repebble/planner/strategies.hpp>
#include <repebble/recompute/drop_cheap.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/mirror.hpp>

#include "arenas.hpp"
#include "progress_bar.hpp"

namespace plan {

using namespace repebble;

namespace {

using found = std::optional<recompute_plan<>>;

constexpr char const* automatic = "automatic";

/// What a strategy plans with.
struct request {
    io::network const& net;
    problem const& planned;
    std::optional<bytes> budget;
    any_strategy_options const& options;
    std::string& note;  ///< of the row, where there is no plan
};

/// When a strategy runs.
enum class usual : std::uint8_t { always, for_training, for_inference, when_named };

/// A row of the table: a strategy of the library, or one that plans with what the file says besides.
struct listed {
    std::string_view name;
    bool takes_budget;  ///< the others have one plan only
    usual when;
    std::function<found(request const&)> run;  ///< empty for the automatic planner, whose row has proofs
};

/// The plan that the file brings along.
auto plan_of_marks(request const& r) -> found {
    if (std::ranges::none_of(r.net.nodes(), [](auto const& node) { return node.mirror > 0; })) {
        r.note = "no node of the graph has a mirror above 0";
        return std::nullopt;
    }
    return mirror(r.planned, io::mirror_count_of{&r.net});
}

auto plan_without_cheap(request const& r) -> found { return drop_cheap(r.planned, io::is_cheap_in{&r.net}); }

/// A strategy of the library.
auto plan_by(strategy const& s, request const& r) -> found {
    auto made = s.plan(r.planned, r.budget, r.options);
    if (made && made->peak_bound > 0)
        r.note = made->peak_bound < made->cost.peak
                     ? "no order needs less than " + std::to_string(made->peak_bound) + " bytes"
                     : "peak least without recomputation";
    return made;
}

/// Of the strategies of the library, when each runs.
auto usual_of(strategy const& s) -> usual {
    if (s.is_slow) return usual::when_named;
    if (s.name == "least_peak_order") return usual::for_inference;
    return s.needs_gradients ? usual::for_training : usual::always;
}

/// How an operation is called in a training graph.
auto described(training_vertex<operation_index> const& v) -> std::string {
    return std::string(to_string(v.pass)) + " " + std::to_string(v.vertex);
}

/// Shows progress, and keeps what each technique reports of the last budget.
struct explained_progress {
    progress_bar& bar;
    std::vector<technique_report>& reports;

    void progress(double share) { bar.progress(share); }
    void report(technique_report const& r) {
        auto const known = std::ranges::find(reports, r.what, &technique_report::what);
        if (known == reports.end())
            reports.push_back(r);
        else
            *known = r;
    }
};

/// The dataflow alone for inference, else the training graph.
auto problem_of(training_graph const& training, arguments const& asked) -> problem {
    return asked.inference ? problem(training.flow) : problem(training);
}

/// What is left of a limit, whose end or an interruption stops a search.
auto limits_of(time_limit const& limit, std::optional<std::size_t> work) -> limits {
    return {.seconds = limit.left(), .work = work, .stop = [&limit] { return limit.is_over(); }};
}

/// The automatic planner's row, but for what every row has.
auto row_of(training_graph const& training, automatic_plan<> made, std::optional<bytes> budget) -> outcome {
    outcome row{.strategy = automatic};
    row.proof = {.lower_bound = made.lower_bound,
                 .base_order_bound = std::max(made.base_order_bound, made.lower_bound),
                 .gap = made.plan ? made.gap() : 0,
                 .time_least = made.time_least(),
                 .peak_least = made.peak_least(),
                 .none_exists = made.none_exists(),
                 .floor = made.floor.size,
                 .floor_vertex = made.floor.size > 0 ? described(training.origin.at(made.floor.vertex)) : "",
                 .found_by = made.strategy};
    if (!made.plan) {
        row.note = made.none_exists() ? "none exists" : "none was found";
        if (made.none_exists() && !(budget && made.floor.size <= *budget))
            row.note += ": " + row.proof->floor_vertex + " alone needs " + std::to_string(made.floor.size) + " bytes";
    }
    row.plan = std::move(made.plan);
    return row;
}

/// Where no plan fits: the least budget for which a little work finds one, 0 where it does not.
auto least_found(problem const& p, arguments const& asked, time_limit const& limit) -> bytes {
    constexpr double most_seconds = 2;
    auto options = asked.automatic;
    options.limits = limits_of(limit, 0);
    options.limits.seconds = std::min(most_seconds, options.limits.seconds.value_or(most_seconds));
    return find_least_budget(p, options).found;
}

auto listed_strategies() -> std::vector<listed> {
    std::vector<listed> all;
    for (auto const& s : repebble::strategies()) {
        if (s.name == automatic) {
            all.push_back({"drop_cheap", false, usual::when_named, plan_without_cheap});
            all.push_back({"mirror", false, usual::when_named, plan_of_marks});
            all.push_back({s.name, true, usual::always, {}});
        } else {
            all.push_back({s.name, s.takes_budget, usual_of(s), [&s](request const& r) { return plan_by(s, r); }});
        }
    }
    return all;
}

/// All strategies, the automatic planner last.
std::vector<listed> const strategies = listed_strategies();

/// What a strategy of that name is told: its own limit of work among it.
auto options_for(std::string_view name, arguments const& asked, time_limit const& limit) -> any_strategy_options {
    auto const& o = asked.options;
    bool const counts_steps = name == "forget_all" || name == "lower_set_exhaustive";
    std::optional<std::size_t> work;
    if (counts_steps) work = asked.step_limit;
    if (name == "lower_set_exact") work = o.limits.work;
    return {.goal = o.goal,
            .nearest = true,  // to say by how much it misses
            .judge = o.judge,
            .keep_last = o.keep_last,
            .epsilon = o.epsilon,
            .kept = asked.kept,
            .threads = o.threads,
            .limits = {.seconds = limit.left(), .work = work, .stop = command_line::interrupted}};
}

auto names_of(bool (*chosen)(listed const&)) -> std::string {
    std::string all;
    for (auto const& s : strategies)
        if (chosen(s)) all += (all.empty() ? "" : ", ") + std::string(s.name);
    return all;
}

auto is_named(arguments const& asked, listed const& s) -> bool {
    return std::ranges::find(asked.strategies, s.name) != asked.strategies.end();
}

auto cpu_seconds() -> double { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// A strategy runs where it is named, or where none is named and it is usual.
auto is_asked_for(arguments const& asked, listed const& s) -> bool {
    if (!asked.strategies.empty()) return is_named(asked, s);
    return s.when == usual::always || s.when == (asked.inference ? usual::for_inference : usual::for_training);
}

/// The planner's bounds hold for steps in place where it counts on all overwrites that the dataflow allows.
auto counts_on_all(dataflow const& flow) -> bool {
    std::size_t allowed = 0;
    for (operation_index v = 0; v < flow.operation_count(); ++v) allowed += flow.allowed_overwrites(v).size();
    return find_usable_overwrites(flow).item_count() == allowed;
}

/// The same training graph, in which the rule allows overwrites.
auto allowing(training_graph training, overwrite_table const& rule) -> training_graph {
    return edit(std::move(training), {.may_overwrite = rule});
}

/// The automatic planner comes first, and leaves this share of the time limit to the others that run beside it.
constexpr double for_others = 0.25;

/// until: the share of the time limit at which the automatic planner ends; the others begin before the whole is over.
auto run(listed const& s, io::network const& net, training_graph const& training, arguments const& asked,
         std::optional<bytes> budget, std::optional<overwrite_table> const& in_place, time_limit const& limit,
         double until) -> outcome {
    outcome result{.strategy = std::string(s.name)};
    if (asked.inference && s.when != usual::always && s.when != usual::for_inference) {
        result.note = "is for training, and --inference has no gradients";
        return result;
    }
    if (s.run && limit.is_over()) {
        result.note = command_line::interrupted() ? "interrupted" : "no time was left of --time-limit";
        return result;
    }
    double const start = cpu_seconds();
    try {
        progress_bar bar{std::string(s.name)};
        auto const planned = problem_of(training, asked);
        if (s.run) {
            auto options = options_for(s.name, asked, limit);
            options.progress = [&](double share) { bar.progress(share); };
            result.plan = s.run({net, planned, budget, options, result.note});
        } else {
            std::vector<technique_report> reports;
            time_limit const own(limit.left(until));
            explained_progress explained{bar, reports};
            auto options_now = asked.automatic;
            options_now.limits = limits_of(own, options_now.limits.work);
            result = row_of(training,
                            budget ? repebble::plan(planned, *budget, options_now, explained)
                                   : find_least_budget(planned, options_now, explained).plan,
                            budget);
            result.techniques = std::move(reports);
            if (budget && !result.plan)
                if (auto const found = result.proof->found = least_found(planned, asked, limit); found > 0)
                    result.note += "; a plan was found within " + std::to_string(found) + " bytes";
        }
        result.seconds = cpu_seconds() - start;
        if (result.plan && in_place) {
            make_in_place(*result.plan, training, *in_place);
            if (!counts_on_all(training.flow)) result.proof.reset();  // speaks of fewer steps in place
        }
        if (result.plan)
            if (auto const fault = broken_policy(training, result.plan->schedule, asked); !fault.empty()) {
                result.plan.reset();
                result.breaks_policy = true;
                result.note = "does not keep the graph's policies: " + fault;
            }
        complete(result, training, asked, limit);
        auto const by_formula =
            asked.options.judge == judged_by::formula && s.takes_budget && result.plan && result.plan->formula;
        result.feasible =
            result.plan && (!budget || (by_formula ? result.plan->formula->peak : result.plan->cost.peak) <= *budget);
    } catch (bad_option const&) {
        throw;  // nobody's graph is at fault
    } catch (error const& e) {
        result = {.strategy = std::string(s.name), .seconds = cpu_seconds() - start, .note = e.what()};
    } catch (std::bad_alloc const&) {  // others may need less
        result = {.strategy = std::string(s.name), .seconds = cpu_seconds() - start, .note = "not enough memory"};
    }
    return result;
}

/// The peak of a schedule without the storages of inputs.
auto peak_without_inputs(training_graph const& training, schedule<> const& of) -> bytes {
    auto const all = find_lifetimes(training.flow, of);
    std::vector<buffer> others;
    for (std::size_t i = 0; i < all.buffers.size(); ++i) {
        auto const& use = all.uses[i];
        bool const input = use.what == buffer_use::kind::storage &&
                           training.flow.is_input(training.flow.producers(use.storage.value).front());
        if (!input) others.push_back(all.buffers[i]);
    }
    return find_live_bytes(others).most;
}

}  // namespace

auto certificate::time_claim() const -> std::string {
    if (time_least) return "time least";
    if (!std::isfinite(gap)) return "the least time may be 0";
    return fmt::format("time at most {:.2f}% above the least", 100 * gap);
}

auto strategy_names() -> std::string {
    return names_of([](listed const&) { return true; });
}

auto strategies_not_by_default() -> std::string {
    return names_of([](listed const& s) { return s.when == usual::when_named || s.when == usual::for_inference; });
}

auto is_strategy(std::string const& name) -> bool {
    return std::ranges::any_of(strategies, [&](auto const& s) { return s.name == name; });
}

auto broken_policy(training_graph const& training, schedule<> const& of, arguments const& asked) -> std::string {
    return verify_policies(training, of, asked.automatic.policies).message();
}

auto memory_floor_of(training_graph const& training) -> memory_floor<> { return find_memory_floor(training); }

auto floor_of(training_graph const& training) -> least_memory {
    auto const floor = memory_floor_of(training);
    if (floor.size == 0) return {};
    return {floor.size, described(training.origin.at(floor.vertex))};
}

void complete(outcome& row, training_graph const& training, arguments const& asked, time_limit const& limit) {
    if (!row.plan) return;
    auto const& schedule = row.plan->schedule;
    for (operation_index v = 0; v < training.flow.operation_count(); ++v)
        if (training.flow.is_input(v)) {
            row.peak_without_inputs = peak_without_inputs(training, schedule);
            break;
        }
    if (!asked.arena) return;
    arena_options options{.alignment = asked.alignment.value_or(1)};
    if (auto const seconds = limit.left()) options.offsets.limits.seconds = *seconds;
    options.offsets.limits.stop = command_line::interrupted;
    row.arena = make_arena(training.flow, schedule, options);
}

auto run_strategies(io::network const& net, training_graph const& training, arguments const& asked,
                    std::optional<bytes> budget, std::optional<overwrite_table> const& in_place,
                    time_limit const& limit) -> std::vector<outcome> {
    std::optional<training_graph> in_place_graph;  // the same, but for what may be overwritten
    if (in_place) in_place_graph = allowing(training, *in_place);
    auto const& planned = in_place_graph ? *in_place_graph : training;
    std::vector<outcome> rows, last;
    auto const count = std::ranges::count_if(strategies, [&](auto const& s) { return is_asked_for(asked, s); });
    auto const& first = strategies.back();
    if (is_asked_for(asked, first))
        last.push_back(run(first, net, planned, asked, budget, in_place, limit, count > 1 ? 1 - for_others : 1));
    for (auto const& s : strategies)
        if (s.run && is_asked_for(asked, s)) rows.push_back(run(s, net, planned, asked, budget, in_place, limit, 1));
    std::ranges::move(last, std::back_inserter(rows));
    return rows;
}

auto run_links(io::network const& net, training_graph const& training, arguments const& asked,
               std::optional<bytes> budget, time_limit const& limit) -> std::vector<outcome> {
    std::vector<outcome> rows;
    auto with_link = asked;
    auto const count = static_cast<double>(asked.links.size() + 1);
    for (std::size_t k = 0; k <= asked.links.size(); ++k) {
        if (k > 0) with_link.automatic.link = io::parse_link(asked.links[k - 1]);
        rows.push_back(run(strategies.back(), net, training, with_link, budget, std::nullopt, limit,
                           static_cast<double>(k + 1) / count));
    }
    return rows;
}

auto run_curve(io::network const& net, training_graph const& training, arguments const& asked,
               std::span<bytes const> budgets, time_limit const& limit) -> curve {
    curve all;
    auto const has_others = std::ranges::any_of(strategies, [&](auto const& s) { return s.run && is_named(asked, s); });
    double const start = cpu_seconds();
    std::vector<automatic_plan<>> made;
    {
        progress_bar bar(automatic);
        time_limit const own(limit.left(has_others ? 1 - for_others : 1));
        std::vector<technique_report> reports;
        explained_progress explained{bar, reports};
        auto options = asked.automatic;
        options.limits = limits_of(own, options.limits.work);
        made = repebble::plan(problem_of(training, asked), budgets, options, explained);
    }
    all.seconds = cpu_seconds() - start;
    for (std::size_t k = 0; k < budgets.size(); ++k) {
        all.automatic.push_back(row_of(training, std::move(made[k]), budgets[k]));
        auto& row = all.automatic.back();
        row.budget = budgets[k];
        row.feasible = row.plan.has_value();
        complete(row, training, asked, limit);
    }
    for (auto const& s : strategies) {
        if (!s.run || !is_named(asked, s)) continue;
        for (auto const budget : budgets) {
            all.others.push_back(run(s, net, training, asked, s.takes_budget ? std::optional(budget) : std::nullopt,
                                     std::nullopt, limit, 1));
            auto& row = all.others.back();
            if (!s.takes_budget || (!row.plan && !row.breaks_policy)) break;  // where it gives up, it always does
            row.budget = budget;
        }
    }
    return all;
}

auto sketch_curve(training_graph const& training, arguments const& asked, std::span<bytes const> budgets,
                  std::optional<overwrite_table> const& in_place, time_limit const& limit)
    -> std::vector<automatic_plan<>> {
    constexpr double most_seconds = 2;  // for each budget
    constexpr std::size_t few_moves = 20'000;
    if (limit.is_over()) return {};
    progress_bar bar("curve");
    std::vector<technique_report> reports;
    explained_progress explained{bar, reports};
    auto options = asked.automatic;
    options.gap = std::max(options.gap, 0.01);
    options.limits = limits_of(limit, few_moves);
    auto const enough = most_seconds * static_cast<double>(budgets.size());
    options.limits.seconds = std::min(enough, options.limits.seconds.value_or(enough));
    return repebble::plan(problem_of(in_place ? allowing(training, *in_place) : training, asked), budgets, options,
                          explained);
}

}  // namespace plan
