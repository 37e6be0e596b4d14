// Plans of random problems of 20 to 60 operations with everything at once, by little work: is the automatic planner at
// least as good as every strategy of the registry, and over a link as without; and, which little work only makes
// likely, as itself within a smaller budget, under policies, and with a counter that binds nothing. Built on request
// (`middle_plans`):
//   middle_plans [PROBLEMS] [FIRST_SEED] [WORK]     default 100 0 1000; the exit status is 1 where a rule is broken,
//   hopes left aside
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/verify_policies.hpp>
#include <repebble/plan.hpp>
#include <repebble/planner/strategies.hpp>

#include "support/plan_promises.hpp"
#include "support/random_full_dataflow.hpp"
#include "support/random_policies.hpp"
#include "support/swap_cases.hpp"

namespace {

using namespace repebble;

/// A random problem, and what its plans may do.
struct middle_case {
    problem of;
    bytes less = 0, budget = 0, more = 0;
    value_policies policies{};
    std::optional<host_link> via{};
    std::optional<bytes> host_budget{};
};

auto any_flow(support::split_mix& random) -> dataflow {
    support::full_shape shape{.operations = 20 + support::below(random, 41), .input_percent = 30};
    for (auto* const percent : {&shape.alternative_percent, &shape.view_percent, &shape.mutation_percent,
                                &shape.overwrite_percent, &shape.control_percent, &shape.run_once_percent})
        *percent = support::chance(random, 30) ? 0 : *percent * (1 + support::below(random, 4)) / 4;
    if (support::chance(random, 50)) shape.result_percent = 4;
    if (support::chance(random, 50)) shape.circle_percent = 70;
    if (support::chance(random, 50)) shape.most_bytes = 20;
    shape.free_views = support::chance(random, 50);
    return support::random_full_dataflow(random, shape);
}

auto any_case(support::split_mix& random) -> middle_case {
    auto const flow = any_flow(random);
    auto const policies = support::random_policies(random, flow);
    middle_case c{.of = flow};
    if (support::chance(random, 50)) {
        std::vector<pass> passes(flow.operation_count(), pass::forward);
        for (auto const v : policies.backward) passes[v] = pass::backward;
        c.of = make_training_graph(flow, passes);
    }
    if (support::chance(random, 30)) c.policies = policies;
    auto const high = replay(flow, make_schedule(flow)).peak;
    auto const low = plan(c.of, high, {.limits = {.work = 0}}).floor.size;
    std::vector<bytes> budgets;
    for (int k = 0; k < 3; ++k) budgets.push_back(support::between(random, low, high));
    std::ranges::sort(budgets);
    std::tie(c.less, c.budget, c.more) = std::tie(budgets[0], budgets[1], budgets[2]);
    if (support::chance(random, 50)) c.via = support::random_link(random);
    if (c.via && support::chance(random, 40)) c.host_budget = support::between(random, 0, high);
    return c;
}

/// The same with a counter: an input of 8 bytes that an operation of one unit overwrites, a result that nobody reads.
auto with_counter(dataflow const& flow) -> dataflow {
    dataflow_builder b;
    std::vector<value_index> now(flow.value_count(), no_value);
    auto const renamed = [&](auto const& values) {
        std::vector<value_index> all;
        for (auto const x : values) all.push_back(now[x]);
        return all;
    };
    for (operation_index v = 0; v < flow.operation_count(); ++v) b.add_copy(flow, v);
    for (auto const v : flow.order()) {
        for (auto const x : flow.writes(v)) {
            if (now[x] != no_value)
                b.add_producer(v, now[x]);
            else
                now[x] = flow.is_view(x) ? b.add_view(v, renamed(flow.owners(x))) : b.add_value(v, flow.size(x));
        }
        for (auto const x : flow.operands(v)) b.add_read(v, now[x]);
        for (auto const u : flow.control_predecessors(v)) b.add_control_edge(u, v);
        for (auto const& m : flow.mutations(v)) b.add_mutation(v, m.output, now[m.over]);
        for (auto const& o : flow.allowed_overwrites(v)) b.allow_overwrite(v, o.output, now[o.over]);
    }
    for (auto const x : flow.results()) b.add_result(now[x]);
    auto const counter = b.add_value(b.add_input(), 8);
    auto const step = b.add_operation(1);
    b.add_read(step, counter);
    b.add_result(b.add_value(step, 8));
    b.add_mutation(step, 0, counter);
    return std::move(b).build();
}

/// How often each rule was asked, and broken.
class rules {
  public:
    void begin(std::uint64_t seed) { seed_ = seed; }
    void ask(std::string const& rule, std::string const& fault) {
        auto& [asked, broken] = counts_[rule];
        ++asked;
        if (fault.empty()) return;
        ++broken;
        is_broken_ = is_broken_ || !rule.starts_with("hope");
        std::printf("seed %llu: %s: %s\n", static_cast<unsigned long long>(seed_), rule.c_str(), fault.c_str());
        std::fflush(stdout);
    }
    [[nodiscard]] auto any_broken() const -> bool { return is_broken_; }
    void tell() const {
        for (auto const& [rule, count] : counts_)
            std::printf("%-44s %7zu asked %5zu broken\n", rule.c_str(), count.first, count.second);
    }

  private:
    std::uint64_t seed_ = 0;
    bool is_broken_ = false;
    std::map<std::string, std::pair<std::size_t, std::size_t>> counts_;
};

using maybe_plan = std::optional<recompute_plan<>>;

/// "" or how a plan is worse than one that it may not be worse than.
auto worse(maybe_plan const& found, maybe_plan const& other, std::int64_t more = 0) -> std::string {
    if (!other) return {};
    auto const time = other->cost.time + more;
    if (!found) return "no plan, and there is one of " + std::to_string(time);
    if (found->cost.time <= time) return {};
    return "a plan of " + std::to_string(found->cost.time) + ", and there is one of " + std::to_string(time);
}

/// "" or what a plan breaks; over a link its lanes are simulated.
auto promise_fault(middle_case const& c, bytes budget, automatic_plan<> const& found, bool over_link) -> std::string {
    auto const& flow = c.of.flow();
    if (!over_link) return support::plan_fault(flow, budget, found, {});
    support::swap_case const over{flow, *c.via, budget, c.host_budget};
    auto const fault = support::swap_fault(over, found);
    return fault.empty() && found.plan ? support::simulation_fault(over, *found.plan) : fault;
}

class middle_test {
  public:
    explicit middle_test(std::size_t work) : work_(work) {}

    void try_one(std::uint64_t seed) {
        rules_.begin(seed);
        support::split_mix random(seed);
        auto const c = any_case(random);
        auto const found = plan(c.of, c.budget, options());
        rules_.ask("promises", promise_fault(c, c.budget, found, false));
        ask_strategies(c, found);
        ask_budgets(c, found);
        ask_counter(c, found);
        if (c.via) ask_link(c, found);
        if (!c.policies.empty()) ask_policies(c, found);
    }
    [[nodiscard]] auto end() const -> int {
        rules_.tell();
        return rules_.any_broken() ? 1 : 0;
    }

  private:
    [[nodiscard]] auto options() const -> plan_options { return {.limits = {.work = work_}}; }
    [[nodiscard]] auto options(middle_case const& c) const -> plan_options {
        auto o = options();
        o.link = c.via;
        o.host_budget = c.host_budget;
        return o;
    }

    void ask_strategies(middle_case const& c, automatic_plan<> const& found) {
        for (auto const& s : strategies()) {
            if (s.is_slow || s.name == "automatic" || (s.needs_gradients && c.of.training() == nullptr)) continue;
            auto const name = "strategy " + std::string(s.name);
            try {
                auto made = s(c.of, c.budget, {.limits = {.work = 20'000}});
                if (!made) continue;
                rules_.ask(name + ", its cost",
                           support::schedule_fault(c.of.flow(), made->schedule, made->cost.peak, made->cost.time));
                if (made->cost.peak > c.budget) made.reset();
                rules_.ask(name + ", not better", worse(found.plan, made));
            } catch (bad_graph const&) {  // refused
            } catch (limit_reached const&) {
            } catch (std::exception const& e) {
                rules_.ask(name + ", no other error", e.what());
            }
        }
    }

    void ask_budgets(middle_case const& c, automatic_plan<> const& found) {
        std::vector const budgets{c.less, c.budget, c.more};
        auto const curve = plan(c.of, budgets, options());
        rules_.ask("curve", support::curve_fault(curve));
        for (std::size_t k = 0; k < curve.size(); ++k)
            rules_.ask("curve, promises", promise_fault(c, budgets[k], curve[k], false));
        auto const less = plan(c.of, c.less, options()), more = plan(c.of, c.more, options());
        rules_.ask("hope: smaller budget, not better", worse(found.plan, less.plan));
        rules_.ask("hope: smaller budget, not better", worse(more.plan, found.plan));
        if (found.plan)
            rules_.ask("bound of a smaller budget", found.plan->cost.overhead < more.lower_bound ? "above" : "");
    }

    void ask_counter(middle_case const& c, automatic_plan<> const& found) {
        if (c.of.training() != nullptr) return;
        auto const counted = plan(with_counter(c.of.flow()), c.budget + 8, options());
        rules_.ask("hope: with a counter, not worse", worse(counted.plan, found.plan, 1));
        rules_.ask("hope: without a counter, not worse", worse(found.plan, counted.plan, -1));
    }

    void ask_link(middle_case const& c, automatic_plan<> const& found) {
        auto const over_link = plan(c.of, c.budget, options(c));
        rules_.ask("link, promises", promise_fault(c, c.budget, over_link, true));
        rules_.ask("without the link, not better", worse(over_link.plan, found.plan));
        rules_.ask("link, floor", over_link.floor == found.floor ? "" : "another");
        if (found.plan)
            rules_.ask("link, bound", found.plan->cost.overhead < over_link.lower_bound ? "above a plan without" : "");
        auto const more = plan(c.of, c.more, options(c));
        rules_.ask("hope: link, smaller budget, not better", worse(more.plan, over_link.plan));
        if (!c.host_budget) return;
        auto any_host = options(c);
        any_host.host_budget.reset();
        rules_.ask("hope: link, smaller host, not better", worse(plan(c.of, c.budget, any_host).plan, over_link.plan));
    }

    void ask_policies(middle_case const& c, automatic_plan<> const& found) {
        for (bool const over_link : {false, true}) {
            if (over_link && !c.via) continue;
            auto o = over_link ? options(c) : options();
            o.policies = c.policies;
            if (c.of.training() != nullptr) o.policies.backward.clear();
            auto const name = std::string(over_link ? "link, policies" : "policies");
            try {
                auto const kept = plan(c.of, c.budget, o);
                rules_.ask(name + ", promises", promise_fault(c, c.budget, kept, over_link));
                if (kept.plan) {
                    auto const verdict = verify_policies(c.of.flow(), kept.plan->schedule, c.policies);
                    rules_.ask(name + ", kept", verdict ? "" : verdict.message());
                }
                if (!over_link) rules_.ask("hope: policies, not better", worse(found.plan, kept.plan));
                auto const more = plan(c.of, c.more, o);
                rules_.ask("hope: " + name + ", smaller budget, not better", worse(more.plan, kept.plan));
            } catch (bad_graph const&) {  // they contradict the graph
                return;
            }
        }
    }

    std::size_t work_;
    rules rules_;
};

}  // namespace

auto main(int argc, char** argv) -> int {
    auto const number = [&](int k, std::uint64_t otherwise) {
        return argc > k ? std::strtoull(argv[k], nullptr, 10) : otherwise;
    };
    auto const first = number(2, 0), count = number(1, 100);
    middle_test test(number(3, 1000));
    for (auto seed = first; seed < first + count; ++seed) {
        try {
            test.try_one(seed);
        } catch (std::exception const& e) {
            std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed), e.what());
            return 1;
        }
    }
    return test.end();
}
