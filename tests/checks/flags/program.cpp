// A small program of a user's: an own graph planned, buffers placed, a schedule judged and run. flags.py compiles it
// behind all public headers, with and without exceptions, and runs it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#if !defined(__cpp_exceptions)
static bool error_expected = false;
[[noreturn]] inline void on_error(char const* what) {
    std::printf("the handler: %s\n", what);
    std::exit(error_expected && std::strstr(what, "vertex") != nullptr ? 0 : 1);
}
#define REPEBBLE_ERROR_HANDLER on_error
#endif

#include "all_headers.hpp"

namespace own {

struct tape {
    std::vector<std::vector<std::size_t>> readers;
};

}  // namespace own

template <>
struct repebble::graph_traits<own::tape> {
    using vertex = std::size_t;
    static auto vertices(own::tape const& t) { return std::views::iota(std::size_t{0}, t.readers.size()); }
    static auto successors(own::tape const& t, vertex v) -> std::vector<vertex> const& { return t.readers[v]; }
    static auto vertex_index(own::tape const&, vertex v) { return v; }
};

namespace {

/// Adds up what it reads.
struct adding {
    static auto allocate(repebble::pool, repebble::bytes size, repebble::bytes alignment) {
        return repebble::guarded_memory(size, alignment);
    }
    static void compute(std::size_t, repebble::bound_step const& s, repebble::pool_memory const& memory) {
        std::int64_t sum = 1;
        for (auto const& r : s.reads) {
            std::int64_t x = 0;
            std::memcpy(&x, memory.at(r.where), sizeof x);
            sum += x;
        }
        for (auto const& w : s.writes) std::memcpy(memory.at(w.where), &sum, sizeof sum);
    }
};

void require(bool holds, char const* what) {
    if (holds) return;
    std::printf("wrong: %s\n", what);
    std::exit(1);
}

}  // namespace

int main() {
    using namespace repebble;
    own::tape const net{{{1, 3}, {2}, {3}, {4}, {5}, {6}, {}}};
    auto const eight = [](auto const&) { return std::int64_t{8}; };

    auto const found = plan(make_problem(net, weights{unit_weight{}, eight}), 56);
    require(found.plan && found.plan->cost.peak <= 56 && found.proven, "plan");
    auto const training = make_training_graph(net, weights{unit_weight{}, eight});
    auto const in_time = plan(training, 56, {.limits = {.seconds = 0.05}, .threads = 2});
    require(in_time.plan.has_value(), "plan with a time limit");
    require(!plan(training, 1).plan, "plan of what does not fit");
    // Limits that searches reach are no errors.
    require(lower_set_plan(training, 100, {.limits = {.seconds = 0, .work = 3}}).has_value(),
            "lower sets beyond the limits");

    auto const bound = bind_schedule(training.flow, in_time.plan->schedule, {.alignment = 8});
    adding backend;
    executor run(bound, backend);
    run.run();

    std::vector<buffer> const buffers{{{0, 2}, 8}, {{1, 3}, 16}, {{2, 4}, 8}};
    auto const offsets = assign_offsets(buffers);
    require(offsets.height == 24 && !verify_offsets(buffers, offsets.offsets).fault, "assign_offsets");
    require(find_treewidth(net).upper == 2, "treewidth");
    std::size_t actions = 0;
    for (auto const& a : revolve(10, 3)) actions += a.what == revolve_action::kind::reverse ? 1 : 0;
    require(actions == 10, "revolve");

    auto const flow = make_dataflow(net, weights{unit_weight{}, eight});
    require(replay(flow, make_schedule(flow)).time == 7, "replay");
    require(!verify_graph(own::tape{{{1}, {0}}}), "verify_graph");
    require(!verify_graph(net, weights{[](auto const&) { return -1.0; }, eight}), "weights are verified");
    schedule<> illegal;
    illegal.steps.push_back({.vertex = 1});
    require(verify_schedule(flow, illegal).broken.has_value(), "judge");

    // An error.
#if defined(__cpp_exceptions)
    try {
        replay(flow, illegal);
    } catch (illegal_schedule const& e) {
        std::printf("caught: %s\n", e.what());
        return 0;
    }
#else
    error_expected = true;
    replay(flow, illegal);
#endif
    return 1;
}
