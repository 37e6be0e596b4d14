// Covers pebbling/observer.hpp, pebbling/replay.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"
#include "support/random_schedules.hpp"

using namespace repebble;
using support::below;
using support::split_mix;

namespace {

/// Sums up the events, and compares with their sums only.
struct bookkeeper {
    using key = std::pair<pool, instance>;
    std::map<key, std::vector<bytes>>
        alive{};  // several: a prefetched value beside its old storage, which a view refers to
    bytes on_device = 0;
    bytes on_host = 0;
    std::map<std::size_t, bytes> most{};  // in the device pool during every step with an event, and after it
    std::map<std::size_t, bytes> after{};
    std::size_t overwrites = 0;
    bool consistent = true;

    void allocate(std::size_t step, instance i, pool where, bytes size) {
        alive[{where, i}].push_back(size);
        (where == pool::device ? on_device : on_host) += size;
        see(step);
    }
    void release(std::size_t step, instance i, pool where) {
        see(step);
        auto const at = alive.find({where, i});
        consistent = consistent && at != alive.end();
        if (!consistent) return;
        (where == pool::device ? on_device : on_host) -= at->second.back();
        at->second.pop_back();
        if (at->second.empty()) alive.erase(at);
        see(step);
    }
    void overwrite(std::size_t, instance now, instance storage) {
        ++overwrites;
        consistent = consistent && alive.contains({pool::device, storage}) && now != storage;
    }
    void workspace(std::size_t step, operation_index, std::uint32_t, bytes size) { see(step, size); }

    void see(std::size_t step, bytes more = 0) {
        most[step] = std::max(most[step], on_device + more);
        after[step] = on_device;
    }
};

}  // namespace

TEST_CASE("the observed events add up to the profile", "[observer][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const flow = support::any_dataflow(random, 10);
            auto const plan = support::random_schedule(random, flow, below(random, 100));
            bookkeeper books;
            auto const [result, broken] = verify_schedule(flow, plan, {.profile = true}, serial_clock{}, books);
            RC_ASSERT(books.consistent);
            bytes before = 0;
            for (std::size_t k = 0; k < result.profile.size(); ++k) {
                RC_ASSERT(result.profile[k] == std::max(before, books.most[k]));
                if (books.after.contains(k)) before = books.after[k];
            }
            // The live storages are those of the naive player.
            support::naive_player player(flow);
            for (auto const& s : plan.steps) static_cast<void>(player.play(s));
            RC_ASSERT(books.on_device == player.device_bytes());
            RC_ASSERT(books.on_host == player.host_bytes());
            auto const in_place = std::ranges::count_if(plan.steps, [](step<> const& s) { return s.in_place; });
            RC_ASSERT(books.overwrites == static_cast<std::size_t>(in_place));
        }
    }));
}

namespace {

/// Writes down events in words.
struct scribe {
    std::vector<std::string> lines{};

    static auto name(instance i) { return std::to_string(i.value) + "#" + std::to_string(i.computation); }
    static auto place(pool where) { return where == pool::device ? std::string(" device") : std::string(" host"); }
    void write(std::size_t step, std::string const& what) { lines.push_back(std::to_string(step) + " " + what); }

    void allocate(std::size_t step, instance i, pool where, bytes size) {
        write(step, "allocate " + name(i) + place(where) + " " + std::to_string(size));
    }
    void overwrite(std::size_t step, instance i, instance storage) {
        write(step, "overwrite " + name(storage) + " by " + name(i));
    }
    void release(std::size_t step, instance i, pool where) { write(step, "release " + name(i) + place(where)); }
    void workspace(std::size_t step, operation_index v, std::uint32_t repetition, bytes size) {
        write(step,
              "workspace of " + std::to_string(v) + "#" + std::to_string(repetition) + " " + std::to_string(size));
    }
};

}  // namespace

TEST_CASE("events come in order, and a storage keeps the name with which it began", "[observer]") {
    dataflow_builder builder;
    for (bytes const workspace : {0, 5, 0}) builder.add_operation(1, workspace);
    std::vector<value_index> const a{builder.add_value(0, 4)};
    auto const view = builder.add_view(1, a);
    builder.add_value(2, 3);
    builder.add_read(1, a.front());
    builder.add_read(2, view);
    auto const flow = std::move(builder).build();
    schedule_builder plan(flow);
    plan.compute(0);
    plan.offload(0);
    plan.compute(0);
    plan.compute(1);
    plan.discard(0);
    plan.compute_in_place(2, 0, view);
    plan.discard(2);
    scribe events;
    replay(flow, std::move(plan).finish(), {}, serial_clock{}, events);
    CHECK(events.lines == std::vector<std::string>{
                              "0 allocate 0#0 device 4",
                              "1 allocate 0#0 host 4",
                              "2 allocate 0#1 device 4",
                              "2 release 0#0 device",
                              "2 release 0#0 host",
                              "3 workspace of 1#0 5",
                              "5 overwrite 0#1 by 2#0",
                              "6 release 0#1 device",
                          });
}

namespace {

/// Listens to one kind of event only.
struct counter {
    int releases = 0;
    void release(std::size_t, instance, pool) { ++releases; }
};

}  // namespace

TEST_CASE("an observer may listen to some events only, and may be a temporary", "[observer]") {
    dataflow_builder builder;
    builder.add_value(builder.add_operation(1), 4);
    auto const flow = std::move(builder).build();
    schedule<> const plan{{{.vertex = 0}, {.what = action::discard, .vertex = 0}}};
    counter seen;
    replay(flow, plan, {}, serial_clock{}, seen);
    CHECK(seen.releases == 1);
    CHECK(replay(flow, plan, {}, serial_clock{}, counter{}).peak == 4);
}
