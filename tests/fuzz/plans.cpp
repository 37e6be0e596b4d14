// Fuzzing of plans (run): bytes choose a dataflow that may use every feature, and a budget; its plan is replayed,
// judged by a second judge and by exhaustive search, placed in an arena and executed byte by byte against everything
// once.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <repebble/allocate/arena.hpp>
#include <repebble/execute/bind_schedule.hpp>
#include <repebble/execute/executor.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/plan.hpp>

#include "support/mixing_backend.hpp"
#include "support/plan_promises.hpp"
#include "support/random_full_dataflow.hpp"

namespace {

using namespace repebble;

/// The bytes, then zeros.
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
        if (size_ == 0) return 0;
        --size_;
        return *data_++;
    }
    std::uint8_t const* data_;
    std::size_t size_;
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

}  // namespace

extern "C" auto LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) -> int {
    byte_source bytes_of(data, size);
    support::full_shape shape;
    shape.operations = 2 + bytes_of.below(9);
    for (auto* const percent :
         {&shape.input_percent, &shape.donated_percent, &shape.view_percent, &shape.alternative_percent,
          &shape.mutation_percent, &shape.overwrite_percent, &shape.control_percent, &shape.result_percent,
          &shape.repeated_percent, &shape.run_once_percent, &shape.dead_mutated_percent})
        *percent = bytes_of.below(101);
    shape.most_bytes = 1 + static_cast<std::int64_t>(bytes_of.below(9));
    shape.free_views = bytes_of.below(2) == 1;
    auto const tight = bytes_of.below(101);
    support::split_mix random(bytes_of.word());
    // Percentages may contradict each other.
    auto const made = support::full_dataflow_generator(random, shape).make();
    if (!made) return 0;
    auto const& flow = *made;
    auto const once = make_schedule(flow);
    auto const kept = replay(flow, once);
    plan_options const few_moves{.limits = {.work = 200}};
    auto const floor = plan(flow, kept.peak, few_moves).floor.size;
    auto const budget = floor + (kept.peak - floor) * static_cast<bytes>(tight) / 100;
    auto const found = plan(flow, budget, few_moves);
    check(support::plan_fault(flow, budget, found, support::exhaustive_search(flow, budget, 1500)));
    if (found.plan && results_of(flow, found.plan->schedule) != results_of(flow, once))
        check("the plan leaves other results than everything once");
    return 0;
}
