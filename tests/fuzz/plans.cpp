// Fuzzing of plans (run): bytes choose a dataflow that may use every feature, and a budget; its plan is replayed,
// judged by a second judge and by exhaustive search, placed in an arena and executed byte by byte against everything
// once. They may choose a link, a budget of the host and policies, too: then there is a second plan with all of these,
// judged by a simulation of the lanes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <ranges>
#include <string>

#include <repebble/allocate/arena.hpp>
#include <repebble/execute/bind_schedule.hpp>
#include <repebble/execute/executor.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/pebbling/verify_policies.hpp>
#include <repebble/plan.hpp>

#include "support/mixing_backend.hpp"
#include "support/plan_promises.hpp"
#include "support/random_full_dataflow.hpp"
#include "support/random_policies.hpp"
#include "support/swap_cases.hpp"

namespace {

using namespace repebble;

/// The bytes, then random ones that these seed: the shortest inputs are whole problems.
class byte_source {
  public:
    byte_source(std::uint8_t const* data, std::size_t size) : data_(data), size_(size) {}
    auto below(std::size_t limit) -> std::size_t { return limit == 0 ? 0 : next() % limit; }
    auto word() -> std::uint64_t {
        std::uint64_t all = 0;
        for (int k = 0; k < 8; ++k) all = all << 8U | next();
        return all;
    }

  private:
    auto next() -> std::uint8_t {
        if (size_ == 0) return static_cast<std::uint8_t>((rest_ ? *rest_ : rest_.emplace(seed_))());
        --size_;
        seed_ = (seed_ ^ *data_) * 0x100000001B3U;
        return *data_++;
    }
    std::uint8_t const* data_;
    std::size_t size_;
    std::uint64_t seed_ = 0xCBF29CE484222325U;  // Fowler, Noll, Vo
    std::optional<support::split_mix> rest_;
};

void check(std::string const& fault) {
    if (fault.empty()) return;
    std::fprintf(stderr, "fuzz: %s\n", fault.c_str());
    std::abort();
}

/// What the results hold after the schedule has run in an arena of its own.
auto results_of(dataflow const& flow, schedule<> const& plan) {
    auto const bound = bind_schedule(flow, plan);
    support::mixing_backend backend;
    executor run(bound, backend, {.poison = true});
    run.run();
    return support::mixing_backend::digest_of(bound.results(), run.memory());
}

constexpr std::size_t few_moves = 200, few_states = 300;

auto shape_of(byte_source& bytes_of) -> support::full_shape {
    support::full_shape shape;
    shape.operations = 2 + bytes_of.below(9);
    for (auto* const percent : shape.percents()) *percent = bytes_of.below(101);
    shape.most_bytes = 1 + static_cast<std::int64_t>(bytes_of.below(9));
    shape.free_views = bytes_of.below(2) == 1;
    return shape;
}

/// A share in percent of the way from `low` to `high`.
auto between(byte_source& bytes_of, bytes low, bytes high) -> bytes {
    return low + (high - low) * static_cast<bytes>(bytes_of.below(101)) / 100;
}

auto has_alternatives(dataflow const& flow) -> bool {
    return std::ranges::any_of(std::views::iota(std::size_t{0}, flow.value_count()),
                               [&](auto x) { return flow.producers(x).size() > 1; });
}

void check_alone(dataflow const& flow, bytes budget) {
    auto const found = plan(flow, budget, {.limits = {.work = few_moves}});
    check(support::plan_fault(flow, budget, found, support::exhaustive_search(flow, budget, few_states)));
    // The backend gives what each operation makes bytes of its own: alternatives would differ.
    if (!found.plan || has_alternatives(flow)) return;
    if (results_of(flow, found.plan->schedule) != results_of(flow, make_schedule(flow)))
        check("the plan leaves other results than everything once");
}

void check_over_link(support::swap_case const& c, value_policies const& policies) {
    auto options = c.options(few_moves);
    options.policies = policies;
    try {
        auto const found = plan(c.flow, c.budget, options);
        check(support::swap_fault(c, found));
        if (!found.plan) return;
        check(support::simulation_fault(c, *found.plan));
        if (auto const kept = verify_policies(c.flow, found.plan->schedule, policies); !kept) check(kept.message());
    } catch (bad_graph const&) {  // policies that contradict the graph
        if (policies.empty()) throw;
    }
}

}  // namespace

extern "C" auto LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) -> int {
    byte_source bytes_of(data, size);
    auto const shape = shape_of(bytes_of);
    support::split_mix random(bytes_of.word());
    // Percentages may contradict each other.
    auto const made = support::full_dataflow_generator(random, shape).make();
    if (!made) return 0;
    auto const high = replay(*made, make_schedule(*made)).peak;
    auto const budget = between(bytes_of, plan(*made, high, {.limits = {.work = 0}}).floor.size, high);
    check_alone(*made, budget);
    support::swap_case c{.flow = *made, .via = support::random_link(random), .budget = budget};
    if (bytes_of.below(2) == 1) c.host_budget = between(bytes_of, 0, high);
    check_over_link(c, bytes_of.below(2) == 1 ? support::random_policies(random, *made) : value_policies{});
    return 0;
}
