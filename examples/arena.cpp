// From a network to addresses: a schedule, its steps in place, and one block of memory with an offset for everything
// that the schedule holds. A walk through the steps, as of an executor, finds every value where it was written.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <vector>

#include <repebble/allocate/arena.hpp>
#include <repebble/allocate/write_in_place.hpp>
#include <repebble/io/network_in_place.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/lower_set_plan.hpp>

int main() {
    using namespace repebble;
    auto const net = networks::network_of(networks::by_name("resnet18", {.batch = 2, .resolution = 64}));
    auto const training = io::make_training_graph(net);
    auto const& flow = training.flow;
    auto const all = keep_all(training);
    auto const plan = lower_set_plan(training, all.cost.peak * 6 / 10);
    if (!plan) return 1;
    auto const schedule = write_in_place(flow, plan->schedule, io::find_overwrites(net, training));
    auto const found = make_arena(flow, schedule, {.alignment = 256});
    auto const& [buffers, uses] = found.lifetimes;

    std::vector<value_index> memory(static_cast<std::size_t>(found.size));  // of each byte: the value that is there
    std::vector<bytes> place(flow.value_count());                           // where each value that owns a storage lies
    std::size_t next = 0, in_place = 0;                                     // buffers are in the order of the steps
    for (std::size_t i = 0; i < schedule.steps.size(); ++i) {
        auto const& s = schedule.steps[i];
        if (s.what != action::compute) continue;
        for (auto const x : flow.reads(s.vertex))
            for (auto const owner : flow.owners(x))
                if (auto const at = memory.begin() + place[owner];
                    std::count(at, at + flow.size(owner), owner) != flow.size(owner))
                    return 1;
        if (s.in_place) {
            place[flow.writes(s.vertex)[s.output]] = place[flow.owners(flow.writes(s.over)[s.over_output]).front()];
            ++in_place;
        }
        for (; next < buffers.size() && buffers[next].lifetime.lower == static_cast<std::int64_t>(i); ++next)
            if (uses[next].what == buffer_use::kind::storage) place[uses[next].storage.value] = found.offsets[next];
        for (auto const y : flow.writes(s.vertex)) std::fill_n(memory.begin() + place[y], flow.size(y), y);
    }

    std::cout << "keep_all: " << all.cost.peak << " bytes; the plan: " << plan->cost.peak << "; with " << in_place
              << " steps in place: " << found.peak << '\n'
              << "its arena: " << found.size << " bytes for " << buffers.size() << " buffers, at multiples of 256\n";
    return next == buffers.size() && in_place > 0 && found.size < all.cost.peak ? 0 : 1;
}
