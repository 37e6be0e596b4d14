// Covers allocate/storage_history.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/allocate/storage_history.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>

#include "support/catch.hpp"

using namespace repebble;

TEST_CASE("stays, storages and their last uses", "[storage_history]") {
    // 0 writes a value, 1 a view of it, 2 reads the view; then 0's value is copied to the host and back.
    dataflow_builder builder;
    for (int i = 0; i < 3; ++i) builder.add_operation(1);
    std::vector<value_index> const owner{builder.add_value(0, 4)};
    auto const view = builder.add_view(1, owner);
    auto const result = builder.add_value(2, 4);
    builder.add_read(1, owner.front());
    builder.add_read(2, view);
    auto const flow = std::move(builder).build();

    schedule_builder plan(flow);
    plan.compute(0);
    plan.compute(1);
    plan.offload(0);
    plan.discard(0);
    plan.compute_in_place(2, 0, view);  // step 4
    plan.prefetch(0);
    plan.compute(0);
    plan.discard(result);
    auto const steps = std::move(plan).finish();
    storage_history const history(flow, steps);

    std::vector<device_stay> stays;
    for (std::uint32_t i = 0; i < history.stay_count(); ++i) stays.push_back(history.stay(i));
    CHECK(stays == std::vector<device_stay>{{{0, 0}, 0, 3, true},
                                            {{view, 0}, 1, 4, false},
                                            {{result, 0}, 4, 7, false},
                                            {{0, 0}, 5, 6, true},
                                            {{0, 1}, 6, 8, false}});
    CHECK(history.storage_count() == 4);
    CHECK((history.stays_in(0).size() == 2 && history.stays_in(0)[1] == 1));
    CHECK(history.last_use(0) == 4);
    CHECK(history.last_use(1) == 4);  // the result has no reader
    CHECK(history.last_use(2) == 5);
    CHECK(history.last_use(3) == 8);  // it stays to the end
    CHECK((history.readings(4).size() == 1 && history.readings(4)[0].stay == 1 && history.readings(4)[0].storage == 0));
    CHECK(history.readings(5).empty());
    using takeovers = std::vector<storage_history::takeover>;
    CHECK(std::ranges::equal(history.taken_over(4), takeovers{{0, 0}}));
    CHECK(history.taken_over(6).empty());
    CHECK((history.first_new(4) == 1 && history.first_new(6) == 3));
}

TEST_CASE("a step takes over the storages of all its mutations, and one in place", "[storage_history]") {
    // 0 writes a, b and c; 1 views a; 2 mutates a, which it reads by both names, and b, and writes a third output.
    dataflow_builder builder;
    for (int i = 0; i < 3; ++i) builder.add_operation(1);
    std::vector<value_index> const a{builder.add_value(0, 4)};
    auto const b = builder.add_value(0, 2);
    auto const c = builder.add_value(0, 3);
    auto const view = builder.add_view(1, a);
    builder.add_read(1, a.front());
    for (auto const value : {a.front(), b, c, view}) builder.add_read(2, value);
    for (bytes const size : {3, 2, 4}) builder.add_value(2, size);
    builder.add_mutation(2, 1, b);
    builder.add_mutation(2, 2, view);
    auto const flow = std::move(builder).build();

    schedule_builder plan(flow);
    plan.compute(0);
    plan.compute(1);
    plan.compute_in_place(2, 0, c);
    auto const steps = std::move(plan).finish();
    storage_history const history(flow, steps);
    using takeovers = std::vector<storage_history::takeover>;
    CHECK(history.storage_count() == 6);
    CHECK(std::ranges::equal(history.taken_over(2), takeovers{{0, 2}, {1, 1}, {2, 0}}));
    CHECK(history.first_new(2) == 3);
    for (std::uint32_t i = 0; i < 4; ++i) CHECK(history.stay(i).end == 2);  // under every name
    for (std::uint32_t i = 4; i < 7; ++i) CHECK(history.stay(i).end == 3);
    CHECK((history.last_use(0) == 2 && history.last_use(5) == 3));
}
