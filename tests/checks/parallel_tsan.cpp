// Schedules run on real threads over one arena, built with the thread sanitizer, which sees two steps use the same
// bytes unless the edges order them.
//   test_parallel_tsan                   plans that are safe: without a race, and with what one thread computes
//   test_parallel_tsan --without-edges   a plan that needs more edges, without them: the sanitizer must see it

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>
#include <thread>
#include <vector>

#include <repebble/allocate/find_race.hpp>
#include <repebble/allocate/sharing_dependencies.hpp>
#include <repebble/allocate/share_blocks.hpp>

#include "support/parallel_plans.hpp"
#include "support/step_program.hpp"

namespace {

using namespace repebble;

/// Threads that run steps, each its own in the order of the schedule, once all that the edges name have ended: a
/// counter for each step, which those before it count down. Nothing else orders the threads.
class parallel_executor {
  public:
    parallel_executor(csr_graph const& g, support::step_edges const& more)
        : next_(g.vertex_count()), waits_(g.vertex_count()) {
        for (std::size_t s = 0; s < next_.size(); ++s)
            for (auto const t : g.successors(s)) add(s, t);
        for (auto const& [s, t] : more) add(s, t);
    }

    /// worker_of[s] runs step s by run_step(s).
    template <class F>
    void run(std::vector<std::size_t> const& worker_of, std::size_t workers, F run_step) const {
        std::vector<std::atomic<std::size_t>> left(waits_.size());
        for (std::size_t s = 0; s < left.size(); ++s) left[s] = waits_[s];
        std::vector<std::thread> threads;
        for (std::size_t w = 0; w < workers; ++w)
            threads.emplace_back([&, w] {
                for (std::size_t s = 0; s < left.size(); ++s) {
                    if (worker_of[s] != w) continue;
                    while (left[s].load(std::memory_order_acquire) > 0) std::this_thread::yield();
                    run_step(s);
                    for (auto const t : next_[s]) left[t].fetch_sub(1, std::memory_order_release);
                }
            });
        for (auto& t : threads) t.join();
    }

  private:
    void add(std::size_t s, std::size_t t) {
        next_[s].push_back(t);
        ++waits_[t];
    }

    std::vector<std::vector<std::size_t>> next_;
    std::vector<std::size_t> waits_;
};

/// What the program computes in parallel; every step runs on a thread of its own where `workers` is 0.
auto run_in_parallel(support::split_mix& random, support::step_program const& program, step_graph const& steps,
                     std::vector<bytes> const& offsets, support::step_edges const& more, std::size_t workers)
    -> std::vector<std::uint64_t> {
    std::vector<std::size_t> worker_of(steps.dependencies.vertex_count());
    for (std::size_t s = 0; s < worker_of.size(); ++s)
        worker_of[s] = workers == 0 ? s : support::below(random, workers);
    auto m = program.empty_memory(offsets);
    parallel_executor(steps.dependencies, more)
        .run(worker_of, workers == 0 ? worker_of.size() : workers,
             [&](std::size_t s) { program.run_step(s, m, offsets); });
    return program.outcome(std::move(m), offsets);
}

auto safe_plans(support::split_mix& random, std::size_t wanted) -> bool {
    for (std::size_t cases = 0; cases < wanted;) {
        auto const found = support::random_parallel_case(random, 16, 40);
        if (!found || found->plan.steps.size() < 12) continue;
        ++cases;
        auto const& [flow, plan, steps, buffers] = *found;
        support::step_program const program(flow, plan);
        auto const reference = program.reference();
        auto const free = share_blocks(buffers).offsets();
        auto const packed = support::first_fit(random, buffers);
        struct choice {
            std::vector<bytes> offsets;
            support::step_edges more;
        };
        for (auto const& [offsets, more] : {choice{share_blocks(buffers, {.steps = &steps}).offsets(), {}},
                                            choice{share_blocks(buffers, {.steps = &steps, .paths = 8}).offsets(), {}},
                                            choice{free, find_sharing_dependencies(steps, buffers, free)},
                                            choice{packed, find_sharing_dependencies(steps, buffers, packed)}}) {
            for (std::size_t const workers : {std::size_t{0}, std::size_t{3}})
                if (run_in_parallel(random, program, steps, offsets, more, workers) != reference) {
                    std::printf("case %zu: the parallel run computes something else\n", cases);
                    return false;
                }
        }
    }
    std::printf("%zu schedules, each with four plans, ran in parallel\n", wanted);
    return true;
}

/// Runs plans that lack their edges until there is one that has a race; what that computes is not looked at.
void unsafe_plan(support::split_mix& random) {
    for (std::size_t races = 0; races < 3;) {
        auto const found = support::random_parallel_case(random, 16, 40);
        if (!found) continue;
        auto const& [flow, plan, steps, buffers] = *found;
        auto const offsets = share_blocks(buffers).offsets();
        auto const race = find_race(steps, buffers, offsets);
        if (!race) continue;
        ++races;
        std::printf("%s\n", race->message.c_str());
        support::step_program const program(flow, plan);
        static_cast<void>(run_in_parallel(random, program, steps, offsets, {}, 0));
    }
}

}  // namespace

int main(int count, char** arguments) {
    support::split_mix random(20160919);
    if (count > 1 && std::string_view(arguments[1]) == "--without-edges") {
        unsafe_plan(random);
        return 0;
    }
    return safe_plans(random, 40) ? 0 : 1;
}
