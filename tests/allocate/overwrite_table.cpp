// Covers allocate/write_in_place.hpp, allocate/overwrite_table.hpp.
#include <cstdint>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/allocate/overwrite_table.hpp>
#include <repebble/allocate/write_in_place.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/pebbling/detail/expand_views.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/property.hpp"

using namespace repebble;

namespace {

static_assert(overwrite_rule<overwrite_table>);

/// Allows each output of an operation to overwrite each of its inputs at random.
auto random_table(support::split_mix& random, dataflow const& flow) -> overwrite_table {
    std::vector<allowed_overwrite> allowed;
    auto const percent = 50 + support::below(random, 51);
    for (operation_index v = 0; v < flow.operation_count(); ++v)
        for (auto const x : flow.reads(v))
            for (std::uint32_t j = 0; j < flow.writes(v).size(); ++j)
                if (support::chance(random, percent)) allowed.push_back({v, j, x});
    return overwrite_table(std::move(allowed));
}

}  // namespace

TEST_CASE("a table allows exactly the overwrites that it lists", "[overwrite_table]") {
    overwrite_table const table({{2, 0, 1}, {1, 0, 0}, {2, 0, 1}});
    CHECK((table(1, 0, 0) && table(2, 0, 1) && !table(2, 1, 1) && !table(2, 0, 0)));
    CHECK(table.allowed().size() == 2);
    CHECK(table == overwrite_table({{1, 0, 0}, {2, 0, 1}}));
    CHECK(overwrite_table{} != table);
}

TEST_CASE("permission to overwrite a view becomes permission for its owner, unless it is read by two names",
          "[overwrite_table]") {
    for (bool const by_two_names : {false, true}) {
        dataflow_builder builder;
        for (int i = 0; i < 3; ++i) builder.add_operation(1);
        std::vector<value_index> const owner{builder.add_value(0, 4)};
        auto const view = builder.add_view(1, owner);
        builder.add_value(2, 4);
        builder.add_read(1, owner.front());
        builder.add_read(2, view);
        if (by_two_names) builder.add_read(2, owner.front());
        auto const flow = std::move(builder).build();
        auto const table =
            detail::contract_overwrites(flow, detail::contract_views(flow), overwrite_table({{2, 0, view}}));
        CHECK(table == (by_two_names ? overwrite_table{} : overwrite_table({{1, 0, 0}})));
    }
}

TEST_CASE("in-place steps on the contracted flow, expanded, are legal with the same peak",
          "[overwrite_table][property]") {
    std::size_t made = 0;
    CHECK(support::holds_for_each_seed([&](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const flow = support::random_dataflow(random, {.operations = support::below(random, 14),
                                                                .view_percent = 40,
                                                                .most_bytes = support::between(random, 1, 2)});
            auto const contracted = detail::contract_views(flow);
            auto const order = support::random_compute_order(random, contracted.flow(), support::below(random, 6));
            auto const rule = detail::contract_overwrites(flow, contracted, random_table(random, flow));
            auto const plan = write_in_place(contracted.flow(), make_schedule(contracted.flow(), order), rule);
            auto const expanded = verify_schedule(flow, detail::expand_views(flow, contracted, plan));
            RC_ASSERT(expanded);
            RC_ASSERT(expanded.result.peak <= replay(contracted.flow(), make_schedule(contracted.flow(), order)).peak);
            for (auto const& s : plan.steps) made += s.in_place ? 1U : 0U;
        }
    }));
    CHECK(made > 50);
}
