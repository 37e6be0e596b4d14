// Random small pipelines: does a simulation from event to event say what the judge says, are plans within their budgets
// and never below their bounds, and are there plans wherever exhaustive search finds a schedule. Built on request
// (`small_pipelines`):
//   small_pipelines [PIPELINES] [TINY] [FIRST_SEED]     default 10000 1000 0; the exit status is 1 where one differs
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <repebble/pipelines/pipeline_bounds.hpp>
#include <repebble/pipelines/plan_pipeline.hpp>

#include "support/pipeline_cases.hpp"

namespace {

using namespace repebble;

struct counts {
    std::size_t tried = 0, planned = 0, at_order_best = 0, at_best = 0, bound_is_best = 0, wrong = 0;
};

auto fault_of_judge(pipeline const& p, pipeline_schedule const& schedule) -> std::string {
    auto const verdict = verify_pipeline(p, schedule);
    support::pipeline_simulation const run(p, schedule);
    if (!verdict) return run.ends ? "it runs, but the judge says: " + verdict.message() : "";
    if (!run.ends) return "it does not run";
    if (run.makespan != verdict.cost.makespan) return "its makespan is " + std::to_string(run.makespan);
    for (std::size_t r = 0; r < p.ranks; ++r)
        if (run.peak(r) != verdict.cost.peaks[r]) return "its peak is " + std::to_string(run.peak(r));
    return "";
}

/// "" or what a plan says that is not so.
auto fault_of_plan(pipeline const& p, std::vector<bytes> const& budgets, pipeline_plan const& plan) -> std::string {
    bool feasible = true;
    for (std::size_t r = 0; r < p.ranks; ++r) feasible = feasible && plan.least[r] <= budgets[r];
    if (feasible != plan.schedule.has_value()) return feasible ? "no plan where one exists" : "a plan below the least";
    if (!plan.schedule) return "";
    if (auto const fault = fault_of_judge(p, *plan.schedule); !fault.empty()) return fault;
    if (support::time_within(p, *plan.schedule, budgets) != plan.cost.makespan) return "it does not fit";
    if (plan.cost.makespan < plan.order_bound) return "it is faster than its order";
    if (plan.cost.makespan < plan.lower_bound) return "it is faster than any";
    return "";
}

/// Budgets from what is needed to what is more than enough.
auto random_budgets(support::split_mix& random, pipeline const& p) -> std::vector<bytes> {
    auto budgets = find_least_bytes(p);
    auto const most = support::between(random, 0, 40);
    for (auto& b : budgets) b += support::between(random, support::chance(random, 10) ? -1 : 0, most);
    for (auto& b : budgets) b = b < 0 ? 0 : b;
    return budgets;
}

auto try_one(std::uint64_t seed, counts& all) -> std::string {
    support::split_mix random(seed);
    auto const p = support::random_pipeline(random);
    auto schedule = support::random_schedule(random, p);
    if (auto const fault = fault_of_judge(p, schedule); !fault.empty()) return fault;
    // Two passes of a rank in turn: often they wait for each other.
    auto& list = schedule.orders[support::below(random, p.ranks)];
    if (list.size() > 1)
        std::swap(list[support::below(random, list.size())], list[support::below(random, list.size())]);
    if (auto const fault = fault_of_judge(p, schedule); !fault.empty()) return "swapped: " + fault;
    auto const budgets = random_budgets(random, p);
    auto const plan = plan_pipeline(p, budgets, {.limits = {.work = 20}});
    ++all.tried;
    all.planned += plan.schedule ? 1U : 0U;
    return fault_of_plan(p, budgets, plan);
}

auto try_tiny(std::uint64_t seed, counts& all) -> std::string {
    support::split_mix random(seed);
    pipeline p;
    do {
        p = support::random_pipeline(random, {.ranks = 2, .chunks = 2, .microbatches = 2, .choices = 2});
    } while (p.stages.size() * p.microbatches > 4);
    auto const budgets = random_budgets(random, p);
    auto const plan = plan_pipeline(p, budgets, {.limits = {.work = 50}});
    if (auto const fault = fault_of_plan(p, budgets, plan); !fault.empty()) return fault;
    auto const orders = support::random_orders(random, p);
    auto const of_order = plan_pipeline(p, orders, budgets);
    auto const best_of_order = support::best_of_choices(p, orders, budgets);
    if (best_of_order.has_value() != of_order.schedule.has_value())
        return "the order has choices that fit, or has none";
    if (best_of_order && *best_of_order < of_order.order_bound) return "choices are below the bound of their order";
    ++all.tried;
    if (best_of_order && *best_of_order == of_order.cost.makespan) ++all.at_order_best;
    // All orders of a rank with more than two stages and microbatches would take long.
    std::vector<std::size_t> on_rank(p.ranks, 0);
    for (auto const& stage : p.stages)
        if ((on_rank[stage.rank] += p.microbatches) > 2) return "";
    auto const best = support::best_of_orders(p, budgets);
    if (best.has_value() != plan.schedule.has_value())
        return "there is a schedule, but no plan; or the other way round";
    if (!best) return "";
    if (*best < plan.lower_bound) return "a schedule is below the bound of any order";
    if (*best > plan.cost.makespan) return "the plan is faster than the fastest schedule";
    ++all.planned;
    if (*best == plan.cost.makespan) ++all.at_best;
    if (*best == plan.lower_bound) ++all.bound_is_best;
    return "";
}

}  // namespace

int main(int count, char** arguments) {
    auto const argument = [&](int i, std::size_t usual) {
        return count > i ? static_cast<std::size_t>(std::strtoull(arguments[i], nullptr, 10)) : usual;
    };
    auto const first = argument(3, 0);
    counts small, tiny;
    auto const report = [](std::uint64_t seed, char const* what, std::string const& fault, counts& all) {
        if (fault.empty()) return;
        ++all.wrong;
        std::printf("%s pipeline %llu: %s\n", what, static_cast<unsigned long long>(seed), fault.c_str());
    };
    for (auto seed = first; seed < first + argument(1, 10'000); ++seed)
        report(seed, "small", try_one(seed, small), small);
    for (auto seed = first; seed < first + argument(2, 1'000); ++seed) report(seed, "tiny", try_tiny(seed, tiny), tiny);
    std::printf(
        "%zu small pipelines, %zu with a plan; %zu tiny ones: %zu of the least makespan for an order given, of %zu "
        "with all orders tried %zu of the least of all, %zu with a bound that is the least; %zu wrong\n",
        small.tried, small.planned, tiny.tried, tiny.at_order_best, tiny.planned, tiny.at_best, tiny.bound_is_best,
        small.wrong + tiny.wrong);
    return small.wrong + tiny.wrong == 0 ? 0 : 1;
}
