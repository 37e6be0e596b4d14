#include "strategies.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include <repebble/io/network_mirror.hpp>
#include <repebble/plan.hpp>
#include <repebble/recompute/chain_plan.hpp>
#include <repebble/recompute/drop_cheap.hpp>
#include <repebble/recompute/forget_all.hpp>
#include <repebble/recompute/greedy_eviction.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/lower_set_approximate.hpp>
#include <repebble/recompute/lower_set_exact.hpp>
#include <repebble/recompute/lower_set_exhaustive.hpp>
#include <repebble/recompute/mirror.hpp>
#include <repebble/recompute/save_set.hpp>
#include <repebble/recompute/segment_plan.hpp>
#include <repebble/recompute/segment_recursive.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

#include "arenas.hpp"
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
    training_graph<> const& training;
    arguments const& asked;
    budget_options const& budget;
    lower_set_plan_options const& options;  ///< with the same budget
    progress_bar& bar;
    std::string& note;  ///< of the row, where there is no plan
};

struct strategy {
    char const* name;
    bool takes_budget;  ///< the others have one plan only
    found (*run)(request const&);
    bool only_when_named = false;
};

/// The plan that the file brings along.
auto plan_of_marks(request const& r) -> found {
    if (std::ranges::none_of(r.net.nodes(), [](auto const& node) { return node.mirror > 0; })) {
        r.note = "no node of the graph has a mirror above 0";
        return std::nullopt;
    }
    return in_row(mirror(r.training, io::mirror_count_of{&r.net}));
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

/// The smallest budget for which a little work finds a plan, by halving; and a plan for it, by all the work.
auto plan_of_least_memory(training_graph<> const& training, plan_options const& options, explained_progress& bar)
    -> automatic_plan<> {
    auto little = options;
    little.moves = 20'000;
    auto best = repebble::plan(training, keep_all(training).cost.peak, little);
    bytes low = best.floor.size - 1;
    for (int round = 0; round < 12 && best.plan->cost.peak - low > 1; ++round) {
        bytes const middle = low + (best.plan->cost.peak - low) / 2;
        auto tried = repebble::plan(training, middle, little);
        if (tried.plan) {
            best = std::move(tried);
        } else {
            low = middle;
        }
    }
    auto found = repebble::plan(training, best.plan->cost.peak, options, bar);
    return found.plan ? found : best;  // more work is other work: it may miss what a little found
}

/// The automatic planner's row, but for what every row has.
auto row_of(training_graph<> const& training, automatic_plan<> made, std::optional<bytes> budget) -> outcome {
    outcome row{.strategy = automatic};
    row.proof = {.lower_bound = made.lower_bound,
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
    strategy{"keep_all", false, [](request const& r) -> found { return in_row(keep_all(r.training)); }},
    strategy{"sqrt_segments", false, [](request const& r) -> found { return sqrt_segments(r.training); }},
    strategy{"segment_plan", true,
             [](request const& r) -> found { return in_row(segment_plan(r.training, r.budget, r.options.threads)); }},
    strategy{"chain", true,
             [](request const& r) -> found { return in_row(chain_plan(r.training, r.budget, r.options.threads)); }},
    strategy{"segment_recursive", false,
             [](request const& r) -> found { return in_row(segment_recursive(r.training, {.kept = r.asked.kept})); },
             true},
    strategy{"drop_cheap", false,
             [](request const& r) -> found { return in_row(drop_cheap(r.training, io::is_cheap_in{&r.net})); }, true},
    strategy{"mirror", false, plan_of_marks, true},
    strategy{"save_set", true, [](request const& r) -> found { return in_row(save_set(r.training, r.budget)); }},
    strategy{"greedy_eviction", true,
             [](request const& r) -> found { return in_row(greedy_eviction(r.training, r.budget)); }},
    strategy{"lower_set_approximate", true,
             [](request const& r) -> found { return lower_set_approximate(r.training, r.options, r.bar); }},
    strategy{"lower_set_exact", true,
             [](request const& r) -> found { return lower_set_exact(r.training, r.options, r.bar); }},
    strategy{"forget_all", false,
             [](request const& r) -> found { return in_row(forget_all(r.training, r.asked.step_limit)); }},
    strategy{"lower_set_exhaustive", true,
             [](request const& r) -> found { return lower_set_exhaustive(r.training, r.options, r.asked.step_limit); },
             true},
    strategy{automatic, true, nullptr},
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

auto run(strategy const& s, io::network const& net, training_graph<> const& training, arguments const& asked,
         std::optional<bytes> budget, std::optional<overwrite_table> const& in_place) -> outcome {
    outcome result{.strategy = s.name};
    auto options = asked.options;
    options.budget = budget;
    options.nearest = true;  // to say by how much it misses
    budget_options const of_budget{.budget = budget, .goal = options.goal, .nearest = true};
    double const start = cpu_seconds();
    try {
        progress_bar bar(s.name);
        if (s.run) {
            result.plan = s.run({net, training, asked, of_budget, options, bar, result.note});
        } else {
            std::vector<technique_report> reports;
            explained_progress explained{bar, reports};
            result = row_of(training,
                            budget ? repebble::plan(training, *budget, asked.automatic, explained)
                                   : plan_of_least_memory(training, asked.automatic, explained),
                            budget);
            result.techniques = std::move(reports);
        }
        result.seconds = cpu_seconds() - start;
        if (result.plan && in_place) {
            make_in_place(*result.plan, training, *in_place);
            result.proof.reset();  // speaks of schedules without steps in place
        }
        if (result.plan && asked.arena) result.arena = plan_arena(training.flow, result.plan->schedule);
        auto const by_formula =
            options.judge == judged_by::formula && s.takes_budget && result.plan && result.plan->formula;
        result.feasible =
            result.plan && (!budget || (by_formula ? result.plan->formula->peak : result.plan->cost.peak) <= *budget);
    } catch (limit_reached const& e) {
        result.seconds = cpu_seconds() - start;
        result.note = e.what();
    }
    return result;
}

}  // namespace

auto strategy_names() -> std::string {
    return names_of([](strategy const&) { return true; });
}

auto strategies_only_when_named() -> std::string {
    return names_of([](strategy const& s) { return s.only_when_named; });
}

auto is_strategy(std::string const& name) -> bool {
    return std::ranges::any_of(strategies, [&](auto const& s) { return s.name == name; });
}

auto floor_of(training_graph<> const& training) -> least_memory {
    auto const floor =
        repebble::plan(training, keep_all(training).cost.peak, {.arena = false}).floor;  // nothing to search
    if (floor.size == 0) return {};
    return {floor.size, described(training.origin.at(floor.vertex))};
}

auto run_strategies(io::network const& net, training_graph<> const& training, arguments const& asked,
                    std::optional<bytes> budget, std::optional<overwrite_table> const& in_place)
    -> std::vector<outcome> {
    std::vector<outcome> rows;
    for (auto const& s : strategies)
        if (asked.strategies.empty() ? !s.only_when_named : is_named(asked, s))
            rows.push_back(run(s, net, training, asked, budget, in_place));
    return rows;
}

auto run_curve(io::network const& net, training_graph<> const& training, arguments const& asked,
               std::span<bytes const> budgets) -> curve {
    curve all;
    for (auto const& s : strategies) {
        if (!s.run || !is_named(asked, s)) continue;
        for (auto const budget : budgets) {
            all.others.push_back(
                run(s, net, training, asked, s.takes_budget ? std::optional(budget) : std::nullopt, std::nullopt));
            if (!s.takes_budget || !all.others.back().plan) break;  // where it gives up, it does so at every budget
            all.others.back().budget = budget;
        }
    }
    double const start = cpu_seconds();
    progress_bar bar(automatic);
    auto made = plan_curve(training, budgets, asked.automatic, bar);
    all.seconds = cpu_seconds() - start;
    for (std::size_t k = 0; k < budgets.size(); ++k) {
        all.automatic.push_back(row_of(training, std::move(made[k]), budgets[k]));
        all.automatic.back().budget = budgets[k];
        all.automatic.back().feasible = all.automatic.back().plan.has_value();
    }
    return all;
}

}  // namespace plan
