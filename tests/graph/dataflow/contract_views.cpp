// Covers graph/dataflow/detail/contract_views.hpp, graph/dataflow/dataflow_builder.hpp.
#include <cstdint>
#include <numeric>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include <rapidcheck.h>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/dataflow/detail/contract_views.hpp>

#include "support/catch.hpp"
#include "support/generators.hpp"
#include "support/ints.hpp"
#include "support/property.hpp"

using namespace repebble;
using support::ints;

namespace {

/// What operation 1 is for the tests below: it looks at a value of operation 0, and operation 2 reads it.
struct looker {
    bytes workspace = 0;
    bool recomputable = true;
    bool reads_more = false;       ///< a second value of operation 0, at which it does not look
    bool has_alternative = false;  ///< operation 3 computes the second value, too
    bool waits = false;            ///< for operation 3, which reads the second value
};

auto contracted_operations(looker const& l) -> std::size_t {
    dataflow_builder builder;
    builder.add_operation(1);
    builder.add_operation(1, l.workspace, l.recomputable);
    builder.add_operation(1);
    builder.add_operation(1);
    std::vector<value_index> const a{builder.add_value(0, 4)};
    auto const b = builder.add_value(0, 4);
    builder.add_read(1, a.front());
    if (l.reads_more) builder.add_read(1, b);
    if (l.has_alternative) builder.add_producer(3, b);
    if (l.waits) {
        builder.add_read(3, b);
        builder.add_control_edge(3, 1);
    }
    builder.add_read(2, builder.add_view(1, a));
    auto const flow = std::move(builder).build();
    return detail::contract_views(flow).flow().operation_count();
}

}  // namespace

TEST_CASE("a view of a view is merged into the owner, and its readers read the owner", "[contract_views]") {
    // 3 writes a and b; 2 looks at both; 0 looks at that; 1 reads the last.
    dataflow_builder builder;
    builder.add_operation(1);
    builder.add_operation(10, 6, false);
    builder.add_operation(2);
    builder.add_operation(5, 7, false);
    std::vector<value_index> const owners{builder.add_value(3, 4), builder.add_value(3, 2)};
    std::vector<value_index> const view{builder.add_view(2, owners)};
    auto const last = builder.add_view(0, view);
    builder.add_value(1, 1);
    for (auto const x : owners) builder.add_read(2, x);
    builder.add_read(0, view.front());
    builder.add_read(1, last);
    auto const flow = std::move(builder).build();

    auto const contracted = detail::contract_views(flow);
    auto const& [original, without_views, representative, members, member_values, original_value] = contracted;
    auto const& small = contracted.flow();
    CHECK(original == &flow);
    CHECK((without_views && small.operation_count() == 2));
    CHECK(representative == std::vector<operation_index>{1, 0, 1, 1});
    CHECK(ints(members[0]) == std::vector{1});
    CHECK(ints(members[1]) == std::vector{3, 2, 0});
    CHECK(original_value == std::vector<value_index>{0, 1, 4});
    CHECK(ints(member_values[0]) == std::vector{0, 3, 2});
    CHECK(ints(member_values[1]) == std::vector{1, 3, 2});
    CHECK(small.time(1) == 5 + 2 + 1);
    CHECK((small.workspace(1) == 7 && !small.recomputable(1)));
    CHECK(ints(small.reads(0)) == std::vector{0, 1});
    CHECK(small.time_once() == flow.time_once());
}

TEST_CASE("only views that can be made again whenever their owner is resident are contracted", "[contract_views]") {
    CHECK(contracted_operations({}) == 3);
    CHECK(contracted_operations({.workspace = 1}) == 4);
    CHECK(contracted_operations({.recomputable = false}) == 4);
    CHECK(contracted_operations({.reads_more = true}) == 4);
    CHECK(contracted_operations({.has_alternative = true}) == 4);
    CHECK(contracted_operations({.waits = true}) == 4);
}

TEST_CASE("a view of values of two operations stays, and so does a view of it", "[contract_views]") {
    dataflow_builder builder;
    for (int i = 0; i < 4; ++i) builder.add_operation(1);
    std::vector<value_index> const owners{builder.add_value(0, 1), builder.add_value(1, 1)};
    std::vector<value_index> const view{builder.add_view(2, owners)};
    builder.add_view(3, view);
    for (auto const x : owners) builder.add_read(2, x);
    builder.add_read(3, view.front());
    auto const flow = std::move(builder).build();
    CHECK(detail::contract_views(flow).flow() == flow);
}

TEST_CASE("a dataflow without views is not copied", "[contract_views]") {
    dataflow_builder builder;
    builder.add_value(builder.add_operation(1), 1);
    auto const flow = std::move(builder).build();
    auto const contracted = detail::contract_views(flow);
    CHECK(&contracted.flow() == &flow);
    CHECK(contracted.representative == std::vector<operation_index>{0});
}

TEST_CASE("contraction partitions the operations, keeps bytes and times, and leaves nothing more to do",
          "[contract_views][property]") {
    CHECK(support::holds_for_each_seed([](std::uint64_t seed) {
        support::split_mix random(seed);
        for (int i = 0; i < 10; ++i) {
            auto const flow = support::random_dataflow(
                random, {.operations = 15, .names = support::numbering::shuffled, .view_percent = 50});
            auto const contracted = detail::contract_views(flow);
            auto const& small = contracted.flow();
            std::set<operation_index> seen;
            for (operation_index c = 0; c < small.operation_count(); ++c)
                for (auto const v : contracted.members[c]) {
                    RC_ASSERT(contracted.representative[v] == c);
                    RC_ASSERT(seen.insert(v).second);
                }
            RC_ASSERT(seen.size() == flow.operation_count());
            // A merged view runs also where only some alternatives read it.
            RC_ASSERT(small.time_once() >= flow.time_once());
            bytes before = 0;
            bytes after = 0;
            for (value_index x = 0; x < flow.value_count(); ++x) before += flow.size(x);
            for (value_index x = 0; x < small.value_count(); ++x) {
                after += small.size(x);
                RC_ASSERT(contracted.member_values[x].front() == contracted.original_value[x]);
                RC_ASSERT(small.is_view(x) == flow.is_view(contracted.original_value[x]));
            }
            RC_ASSERT(before == after);
        }
    }));
}

TEST_CASE("a view that must run is not merged into an operation that an alternative may make superfluous",
          "[contract_views]") {
    for (bool const alternative : {false, true}) {
        dataflow_builder builder;
        auto const owner = builder.add_operation(1), view = builder.add_operation(1), reader = builder.add_operation(1);
        auto const x = builder.add_value(owner, 4);
        builder.add_read(view, x);
        builder.add_view(view, std::vector{x});
        builder.add_read(reader, x);
        auto const y = builder.add_value(reader, 4);
        if (alternative) builder.add_producer(builder.add_operation(1), y);
        auto const flow = std::move(builder).build();
        auto const contracted = detail::contract_views(flow);
        CHECK((contracted.representative[view] == contracted.representative[owner]) == !alternative);
    }
}

TEST_CASE("a view of an input that takes time is not merged into it", "[contract_views]") {
    for (std::int64_t const time : {0, 3}) {
        dataflow_builder builder;
        auto const input = builder.add_input(), view = builder.add_operation(time);
        auto const x = builder.add_value(input, 4);
        builder.add_read(view, x);
        builder.add_view(view, std::vector{x});
        auto const flow = std::move(builder).build();
        auto const contracted = detail::contract_views(flow);
        CHECK((contracted.representative[view] == contracted.representative[input]) == (time == 0));
        CHECK(contracted.flow().time_once() == time);
    }
}
