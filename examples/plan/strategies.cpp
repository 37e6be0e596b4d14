#include "strategies.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include <repebble/recompute/forget_all.hpp>
#include <repebble/recompute/greedy_eviction.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/lower_set_approximate.hpp>
#include <repebble/recompute/lower_set_exact.hpp>
#include <repebble/recompute/lower_set_exhaustive.hpp>
#include <repebble/recompute/save_set.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

#include "arenas.hpp"
#include "progress_bar.hpp"

namespace plan {

using namespace repebble;

namespace {

using found = std::optional<recompute_plan<>>;

struct strategy {
    char const* name;
    bool takes_budget;  ///< the others have one plan only
    found (*run)(training_graph<> const&, arguments const&, strategy_options const&, progress_bar&);
};

constexpr std::array strategies{
    strategy{"keep_all", false, [](auto const& t, auto const&, auto const&, auto&) -> found { return keep_all(t); }},
    strategy{"sqrt_segments", false,
             [](auto const& t, auto const&, auto const&, auto&) -> found { return sqrt_segments(t); }},
    strategy{"save_set", true,
             [](auto const& t, auto const&, auto const& o, auto&) -> found { return save_set(t, o); }},
    strategy{"greedy_eviction", true,
             [](auto const& t, auto const&, auto const& o, auto&) -> found { return greedy_eviction(t, o); }},
    strategy{
        "lower_set_approximate", true,
        [](auto const& t, auto const&, auto const& o, auto& bar) -> found { return lower_set_approximate(t, o, bar); }},
    strategy{"lower_set_exact", true,
             [](auto const& t, auto const&, auto const& o, auto& bar) -> found { return lower_set_exact(t, o, bar); }},
    strategy{"forget_all", false,
             [](auto const& t, auto const& a, auto const&, auto&) -> found { return forget_all(t, a.step_limit); }},
    strategy{"lower_set_exhaustive", true,
             [](auto const& t, auto const& a, auto const& o, auto&) -> found {
                 return lower_set_exhaustive(t, o, a.step_limit);
             }},
};
constexpr std::string_view only_when_named = "lower_set_exhaustive";

auto cpu_seconds() -> double { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

auto run(strategy const& s, training_graph<> const& training, arguments const& asked, std::optional<bytes> budget,
         std::optional<overwrite_table> const& in_place) -> outcome {
    outcome result{.strategy = s.name};
    auto options = asked.options;
    options.budget = budget;
    options.nearest = true;  // to say by how much it misses
    double const start = cpu_seconds();
    try {
        progress_bar bar(s.name);
        result.plan = s.run(training, asked, options, bar);
        result.seconds = cpu_seconds() - start;
        if (result.plan && in_place) make_in_place(*result.plan, training, *in_place);
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
    std::string all;
    for (auto const& s : strategies) all += (all.empty() ? "" : ", ") + std::string(s.name);
    return all;
}

auto is_strategy(std::string const& name) -> bool {
    return std::ranges::any_of(strategies, [&](auto const& s) { return s.name == name; });
}

auto run_strategies(training_graph<> const& training, arguments const& asked, std::optional<bytes> budget,
                    std::optional<overwrite_table> const& in_place) -> std::vector<outcome> {
    std::vector<outcome> rows;
    for (auto const& s : strategies)
        if (asked.strategy ? *asked.strategy == s.name : s.name != only_when_named)
            rows.push_back(run(s, training, asked, budget, in_place));
    return rows;
}

}  // namespace plan
