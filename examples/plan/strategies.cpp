#include "strategies.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <repebble/allocate/arena.hpp>
#include <repebble/allocate/lifetimes.hpp>
#include <repebble/allocate/live_bytes.hpp>
#include <repebble/graph/dataflow/edit.hpp>
#include <repebble/graph/dataflow/usable_overwrites.hpp>
#include <repebble/io/network_mirror.hpp>
#include <repebble/plan.hpp>
#include <repebble/recompute/chain_plan.hpp>
#include <repebble/recompute/decomposition_plan.hpp>
#include <repebble/recompute/drop_cheap.hpp>
#include <repebble/recompute/forget_all.hpp>
#include <repebble/recompute/greedy_eviction.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/least_peak_plan.hpp>
#include <repebble/recompute/lower_set_approximate.hpp>
#include <repebble/recompute/lower_set_exact.hpp>
#include <repebble/recompute/lower_set_exhaustive.hpp>
#include <repebble/recompute/mirror.hpp>
#include <repebble/recompute/save_set.hpp>
#include <repebble/recompute/segment_plan.hpp>
#include <repebble/recompute/segment_recursive.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

#include "arenas.hpp"
#include "link.hpp"
#include "progress_bar.hpp"

namespace plan {

using namespace repebble;

namespace {

using found = std::optional<lower_set_plan<>>;

/// Plans of all strategies in one type: without segments or lower sets, its other members are empty.
auto in_row(recompute_plan<> p) -> found { return lower_set_plan<>{{std::move(p)}}; }
auto in_row(segmented_plan<> p) -> found { return lower_set_plan<>{std::move(p)}; }
template <class Plan>
auto in_row(std::optional<Plan> p) -> found {
    return p ? in_row(*std::move(p)) : std::nullopt;
}

constexpr char const* automatic = "automatic";

/// What a strategy plans with.
struct request {
    io::network const& net;
    training_graph const& training;
    arguments const& asked;
    budget_options const& budget;
    lower_set_plan_options const& options;  ///< with the same budget
    progress_bar& bar;
    std::string& note;  ///< of the row, where there is no plan
};

/// When a strategy runs.
enum class usual : std::uint8_t { always, for_training, for_inference, when_named };

struct strategy {
    char const* name;
    bool takes_budget;  ///< the others have one plan only
    found (*run)(request const&);
    usual when = usual::for_training;
};

/// The plan that the file brings along.
auto plan_of_marks(request const& r) -> found {
    if (std::ranges::none_of(r.net.nodes(), [](auto const& node) { return node.mirror > 0; })) {
        r.note = "no node of the graph has a mirror above 0";
        return std::nullopt;
    }
    return in_row(mirror(r.training, io::mirror_count_of{&r.net}));
}

/// Everything once, in the order of least peak.
auto plan_in_order(request const& r) -> found {
    auto made = least_peak_plan(r.training, order_options{.limits = {.seconds = r.options.time_limit}});
    if (made.lower_bound < made.cost.peak)
        r.note = "no order needs less than " + std::to_string(made.lower_bound) + " bytes";
    else
        r.note = "no order needs less";
    return in_row(static_cast<recompute_plan<>>(std::move(made)));
}

/// How an operation is called in a training graph.
auto described(training_vertex<operation_index> const& v) -> std::string {
    return std::string(to_string(v.pass)) + " " + std::to_string(v.vertex);
}

/// Shows progress, keeps what each technique reports of the last budget, and ends what passes the time limit.
struct explained_progress {
    progress_bar& bar;
    std::vector<technique_report>& reports;
    time_limit const& limit;

    [[nodiscard]] auto cancelled() const -> bool { return limit.is_over(); }
    void progress(double share) { bar.progress(share); }
    void report(technique_report const& r) {
        auto const known = std::ranges::find(reports, r.what, &technique_report::what);
        if (known == reports.end())
            reports.push_back(r);
        else
            *known = r;
    }
};

/// The dataflow alone for inference, else the training graph, in the time that is left.
template <class Observer>
auto plan_automatically(training_graph const& training, bytes budget, arguments const& asked,
                        plan_options const& options, Observer&& observer) -> automatic_plan<> {
    return asked.inference ? repebble::plan(training.flow, budget, options, observer)
                           : repebble::plan(training, budget, options, observer);
}

template <class Observer>
auto curve_automatically(training_graph const& training, std::span<bytes const> budgets, arguments const& asked,
                         plan_options const& options, Observer&& observer) -> std::vector<automatic_plan<>> {
    return asked.inference ? plan_curve(training.flow, budgets, options, observer)
                           : plan_curve(training, budgets, options, observer);
}

/// Moves of the annealing where a little work must do.
constexpr std::size_t few_moves = 20'000;

/// Ends a search once its own time is over, or that of all.
struct ends_in_time {
    time_limit const& all;
    time_limit own;

    [[nodiscard]] auto cancelled() const -> bool { return all.is_over() || own.is_over(); }
};

/// The smallest budget for which a little work finds a plan, by halving; and a plan for it, by all the work. With a
/// time limit, the halving takes at most half of what is left.
auto plan_of_least_memory(training_graph const& training, arguments const& asked, explained_progress& bar)
    -> automatic_plan<> {
    constexpr int rounds = 12;
    auto little = asked.automatic;
    little.moves = few_moves;
    little.time_limit.reset();
    auto const left = bar.limit.left();
    time_limit const halving(left ? std::optional(*left / 2) : std::nullopt);
    auto best =
        plan_automatically(training, keep_all(training).cost.peak, asked, little, ends_in_time{halving, halving});
    bytes low = best.floor.size - 1;
    for (int round = 0; round < rounds && best.plan && best.plan->cost.peak - low > 1; ++round) {
        if (halving.is_over()) break;
        bytes const middle = low + (best.plan->cost.peak - low) / 2;
        if (auto const seconds = halving.left()) little.time_limit = *seconds / (rounds - round);
        auto tried =
            plan_automatically(training, middle, asked, little, ends_in_time{halving, time_limit(little.time_limit)});
        if (tried.plan) {
            best = std::move(tried);
        } else {
            low = middle;
        }
    }
    if (!best.plan) return best;
    auto options = asked.automatic;
    options.time_limit = bar.limit.left();
    auto found = plan_automatically(training, best.plan->cost.peak, asked, options, bar);
    return found.plan ? found : best;  // more work is other work: it may miss what a little found
}

/// The automatic planner's row, but for what every row has.
auto row_of(training_graph const& training, automatic_plan<> made, std::optional<bytes> budget) -> outcome {
    outcome row{.strategy = automatic};
    row.proof = {.lower_bound = made.lower_bound,
                 .base_order_bound = std::max(made.base_order_bound, made.lower_bound),
                 .gap = made.plan ? made.gap() : 0,
                 .proven = made.proven,
                 .floor = made.floor.size,
                 .floor_vertex = made.floor.size > 0 ? described(training.origin.at(made.floor.vertex)) : "",
                 .found_by = made.strategy};
    if (!made.plan)
        row.note = !made.proven ? "no plan was found"
                   : budget && made.floor.size <= *budget
                       ? "no schedule fits: that is proven"
                       : "no schedule fits: " + row.proof->floor_vertex + " alone needs " +
                             std::to_string(made.floor.size) + " bytes";
    row.plan = in_row(std::move(made.plan));
    return row;
}

constexpr std::array strategies{
    strategy{"keep_all", false, [](request const& r) -> found { return in_row(keep_all(r.training)); }, usual::always},
    strategy{"least_peak_order", false, plan_in_order, usual::for_inference},
    strategy{"sqrt_segments", false, [](request const& r) -> found { return sqrt_segments(r.training); }},
    strategy{"segment_plan", true,
             [](request const& r) -> found { return in_row(segment_plan(r.training, r.budget, r.options.threads)); }},
    strategy{"chain", true,
             [](request const& r) -> found { return in_row(chain_plan(r.training, r.budget, r.options.threads)); }},
    strategy{"segment_recursive", false,
             [](request const& r) -> found { return in_row(segment_recursive(r.training, {.kept = r.asked.kept})); },
             usual::when_named},
    strategy{"drop_cheap", false,
             [](request const& r) -> found { return in_row(drop_cheap(r.training, io::is_cheap_in{&r.net})); },
             usual::when_named},
    strategy{"mirror", false, plan_of_marks, usual::when_named},
    strategy{"save_set", true, [](request const& r) -> found { return in_row(save_set(r.training, r.budget)); }},
    strategy{"greedy_eviction", true,
             [](request const& r) -> found { return in_row(greedy_eviction(r.training, r.budget)); }, usual::always},
    strategy{"decomposition_plan", true,
             [](request const& r) -> found {
                 return in_row(decomposition_plan(
                     r.training, {.budget = r.budget.budget, .goal = r.budget.goal, .nearest = r.budget.nearest}));
             },
             usual::when_named},
    strategy{"lower_set_approximate", true,
             [](request const& r) -> found { return lower_set_approximate(r.training, r.options, r.bar); }},
    strategy{"lower_set_exact", true,
             [](request const& r) -> found { return lower_set_exact(r.training, r.options, r.bar); }},
    strategy{"forget_all", false,
             [](request const& r) -> found { return in_row(forget_all(r.training, r.asked.step_limit)); }},
    strategy{"lower_set_exhaustive", true,
             [](request const& r) -> found { return lower_set_exhaustive(r.training, r.options, r.asked.step_limit); },
             usual::when_named},
    strategy{automatic, true, nullptr, usual::always},
};

auto names_of(bool (*chosen)(strategy const&)) -> std::string {
    std::string all;
    for (auto const& s : strategies)
        if (chosen(s)) all += (all.empty() ? "" : ", ") + std::string(s.name);
    return all;
}

auto is_named(arguments const& asked, strategy const& s) -> bool {
    return std::ranges::find(asked.strategies, s.name) != asked.strategies.end();
}

auto cpu_seconds() -> double { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

/// A strategy runs where it is named, or where none is named and it is usual.
auto is_asked_for(arguments const& asked, strategy const& s) -> bool {
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
auto run(strategy const& s, io::network const& net, training_graph const& training, arguments const& asked,
         std::optional<bytes> budget, std::optional<overwrite_table> const& in_place, time_limit const& limit,
         double until) -> outcome {
    outcome result{.strategy = s.name};
    auto options = asked.options;
    options.budget = budget;
    options.nearest = true;  // to say by how much it misses
    options.time_limit = limit.left();
    budget_options const of_budget{.budget = budget, .goal = options.goal, .nearest = true};
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
        progress_bar bar(s.name);
        if (s.run) {
            result.plan = s.run({net, training, asked, of_budget, options, bar, result.note});
        } else {
            std::vector<technique_report> reports;
            time_limit const own(limit.left(until));
            explained_progress explained{bar, reports, own};
            auto with_limit = asked.automatic;
            with_limit.time_limit = own.left();
            result = row_of(training,
                            budget ? plan_automatically(training, *budget, asked, with_limit, explained)
                                   : plan_of_least_memory(training, asked, explained),
                            budget);
            result.techniques = std::move(reports);
        }
        result.seconds = cpu_seconds() - start;
        if (result.plan && in_place) {
            make_in_place(*result.plan, training, *in_place);
            if (!counts_on_all(training.flow)) result.proof.reset();  // speaks of fewer steps in place
        }
        complete(result, training, asked, limit);
        auto const by_formula =
            options.judge == judged_by::formula && s.takes_budget && result.plan && result.plan->formula;
        result.feasible =
            result.plan && (!budget || (by_formula ? result.plan->formula->peak : result.plan->cost.peak) <= *budget);
    } catch (bad_option const&) {
        throw;  // nobody's graph is at fault
    } catch (error const& e) {
        result = {.strategy = s.name, .seconds = cpu_seconds() - start, .note = e.what()};
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

auto strategy_names() -> std::string {
    return names_of([](strategy const&) { return true; });
}

auto strategies_not_by_default() -> std::string {
    return names_of([](strategy const& s) { return s.when == usual::when_named || s.when == usual::for_inference; });
}

auto is_strategy(std::string const& name) -> bool {
    return std::ranges::any_of(strategies, [&](auto const& s) { return s.name == name; });
}

auto memory_floor_of(training_graph const& training) -> memory_floor<> {
    return repebble::plan(training, keep_all(training).cost.peak, {.arena = false}).floor;  // nothing to search
}

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
    arena_options options{.alignment = asked.alignment};
    if (auto const seconds = limit.left()) options.offsets.limits.seconds = *seconds;
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
        if (k > 0) with_link.automatic.link = parse_link(asked.links[k - 1]);
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
        explained_progress explained{bar, reports, own};
        auto options = asked.automatic;
        if (auto const seconds = own.left()) options.time_limit = *seconds / static_cast<double>(budgets.size());
        made = curve_automatically(training, budgets, asked, options, explained);
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
            if (!s.takes_budget || !all.others.back().plan) break;  // where it gives up, it does so at every budget
            all.others.back().budget = budget;
        }
    }
    return all;
}

auto sketch_curve(training_graph const& training, arguments const& asked, std::span<bytes const> budgets,
                  std::optional<overwrite_table> const& in_place, time_limit const& limit)
    -> std::vector<automatic_plan<>> {
    constexpr double most_seconds = 2;  // for each budget
    if (limit.is_over()) return {};
    progress_bar bar("curve");
    std::vector<technique_report> reports;
    explained_progress explained{bar, reports, limit};
    auto options = asked.automatic;
    options.moves = few_moves;
    options.gap = std::max(options.gap, 0.01);
    options.time_limit = most_seconds;
    if (auto const seconds = limit.left())
        options.time_limit = std::min(most_seconds, *seconds / static_cast<double>(budgets.size()));
    return curve_automatically(in_place ? allowing(training, *in_place) : training, budgets, asked, options, explained);
}

}  // namespace plan
