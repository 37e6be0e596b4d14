// Short recipes, the code of the page tutorials/cookbook.md: the least memory, curves, limits, single values, the host,
// other strategies, an order of one's own, addresses, files. Each says whether it found what it should.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <repebble/allocate/arena.hpp>
#include <repebble/chains/revolve.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_problem.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/verify_schedule.hpp>
#include <repebble/plan.hpp>
#include <repebble/planner/find_least_budget.hpp>
#include <repebble/planner/strategies.hpp>
#include <repebble/recompute/keep_all.hpp>

namespace {

using repebble::bytes;

/// Sixteen layers in a row, of which every fourth is slow and every second large, with their gradients.
auto sixteen_layers() {
    std::vector<std::vector<int>> net(16);
    for (int v = 0; v < 15; ++v) net[static_cast<std::size_t>(v)] = {v + 1};
    repebble::weights const w{[](int v) { return v % 4 == 0 ? 90 : 10; },
                              [](int v) { return v % 2 == 0 ? 1600 : 400; }};
    return repebble::make_training_problem(net, w);
}

auto least_memory() -> bool {
    auto const p = sixteen_layers();
    auto const least = repebble::find_least_budget(p);
    std::cout << "a plan within " << least.found << " bytes; none exists below " << least.needed.size << '\n';
    return least.found >= least.needed.size;
}

auto several_budgets() -> bool {
    auto const p = sixteen_layers();
    bytes const all = repebble::keep_all(p).cost.peak;
    std::vector<bytes> const budgets{all / 2, all * 7 / 10, all};
    auto const plans = repebble::plan(p, budgets);  // a larger budget is never slower
    for (auto const& found : plans)
        if (found.plan) std::cout << found.plan->cost.peak << " bytes: " << found.plan->cost.overhead << " more\n";
    return plans.back().plan && plans.back().plan->cost.overhead == 0;
}

auto some_seconds() -> bool {
    auto const p = sixteen_layers();
    repebble::plan_options options{.gap = 0.01};  // within 1 % of the least is good enough
    options.limits.seconds = 2;                   // then the best plan so far
    auto const found = repebble::plan(p, 9000, options);
    return found.plan && found.gap() <= 0.01;
}

auto single_values() -> bool {
    auto const p = sixteen_layers();
    repebble::plan_options options;
    options.policies.must_keep = {{4, 0}};               // output 0 of vertex 4
    options.policies.must_recompute = {{1, 0}, {3, 0}};  // not kept between the passes
    auto const found = repebble::plan(p, 9000, options);
    return found.plan.has_value();
}

auto over_a_link() -> bool {
    auto const p = sixteen_layers();
    repebble::plan_options options;
    options.link = repebble::host_link{.size = 40, .time = 1, .latency = 5};  // 40 bytes in each unit of time
    options.host_budget = 8000;
    auto const alone = repebble::plan(p, 9000), with_host = repebble::plan(p, 9000, options);
    return alone.plan && with_host.plan && with_host.plan->cost.time <= alone.plan->cost.time;
}

auto other_strategies() -> bool {
    auto const p = sixteen_layers();
    bool all_fit = true;
    for (auto const& strategy : repebble::strategies()) {
        if (strategy.is_slow || !strategy.takes_budget) continue;
        if (auto const found = strategy(p, 9000)) {
            std::cout << strategy.name << ": " << found->cost.peak << " bytes, " << found->cost.overhead << " more\n";
            all_fit = all_fit && found->cost.peak <= 9000;
        }
    }
    return all_fit;
}

auto order_of_ones_own() -> bool {
    auto const p = sixteen_layers();
    auto const once = p.flow().order();  // operations by number, gradients behind
    std::vector<repebble::operation_index> order(once.begin(), once.end());
    order.insert(order.begin() + 16, order[14]);  // layer 14 once more, before the gradients
    auto schedule = repebble::make_schedule(p.flow(), order);
    bool const legal = !repebble::verify_schedule(p.flow(), schedule).broken;
    schedule.steps.erase(schedule.steps.begin());
    auto const verdict = repebble::verify_schedule(p.flow(), schedule);
    if (verdict.broken) std::cout << verdict.broken->message << '\n';  // names the step, the rule and the vertex
    return legal && verdict.broken;
}

auto addresses() -> bool {
    auto const p = sixteen_layers();
    auto const found = repebble::plan(p.flow(), 9000, {.arena = true});  // the arena fits, too
    if (!found.plan) return false;
    auto const memory = repebble::make_arena(p.flow(), found.plan->schedule);
    for (std::size_t i = 0; i < memory.offsets.size(); ++i)
        if (memory.offsets[i] + memory.lifetimes.buffers[i].size > memory.size) return false;
    return memory.size <= 9000;
}

auto reverse_equal_steps() -> bool {
    std::uint64_t advanced = 0;
    for (auto const& action : repebble::revolve(1000, 10))  // 1000 steps, 10 snapshots
        if (action.what == repebble::revolve_action::kind::advance) advanced += action.end - action.begin;
    std::cout << advanced << " steps run again\n";
    return advanced == repebble::binomial_bounds::least_advances(1000, 10);
}

auto graph_file() -> bool {
    auto const net = repebble::io::parse_network(R"({"nodes": [
        {"id": 0, "name": "a", "time": 5, "memory": 64}, {"id": 1, "name": "b", "time": 9, "memory": 32}], "edges": [[0, 1]]})");
    auto const again = repebble::io::parse_network(repebble::io::to_text(net));
    return again.nodes().size() == 2 && again.node(1).name == "b";
}

}  // namespace

int main() {
    bool const all[]{least_memory(),     several_budgets(),   some_seconds(), single_values(),       over_a_link(),
                     other_strategies(), order_of_ones_own(), addresses(),    reverse_equal_steps(), graph_file()};
    auto const wrong = std::ranges::find(all, false);
    if (wrong != std::end(all)) std::cout << "recipe " << wrong - all << " is wrong\n";
    return wrong == std::end(all) ? 0 : 1;
}
