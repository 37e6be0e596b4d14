// Covers graph/dataflow/whole_times.hpp.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/dataflow/whole_times.hpp>

#include "support/catch.hpp"

using namespace repebble;

namespace {

/// a -> view of a -> b, with these times of a and b.
auto make_pair(double a_time, double b_time) -> dataflow<double> {
    dataflow_builder<double> builder;
    auto const a = builder.add_operation(a_time, 3), view = builder.add_operation(0.0),
               b = builder.add_operation(b_time, 0, false);
    auto const x = builder.add_value(a, 8);
    builder.add_read(view, x);
    builder.add_read(b, builder.add_view(view, std::vector{x}));
    builder.add_value(b, 4);
    return std::move(builder).build();
}

}  // namespace

TEST_CASE("whole_times: everything but the times stays, and times are rounded down by less than a unit") {
    auto const flow = make_pair(0.3, 1.7);
    auto const [whole, unit] = whole_times(flow);
    REQUIRE(whole.operation_count() == flow.operation_count());
    for (operation_index v = 0; v < flow.operation_count(); ++v) {
        CHECK(whole.workspace(v) == flow.workspace(v));
        CHECK(whole.recomputable(v) == flow.recomputable(v));
        CHECK(std::ranges::equal(whole.reads(v), flow.reads(v)));
        CHECK(std::ranges::equal(whole.writes(v), flow.writes(v)));
        CHECK(static_cast<double>(whole.time(v)) * unit <= flow.time(v));
        CHECK(static_cast<double>(whole.time(v) + 1) * unit > flow.time(v));
    }
    for (value_index x = 0; x < flow.value_count(); ++x) CHECK(whole.is_view(x) == flow.is_view(x));
    CHECK(whole.time_once() == whole.time(0) + whole.time(1) + whole.time(2));
}

TEST_CASE("whole_times: mutations end the same values") {
    dataflow_builder<double> builder;
    auto const a = builder.add_operation(1.0), b = builder.add_operation(0.5);
    auto const x = builder.add_value(a, 8);
    builder.add_read(b, x);
    builder.add_value(b, 8);
    builder.add_mutation(b, 0, x);
    auto const flow = std::move(builder).build();
    CHECK(std::ranges::equal(whole_times(flow).flow.ended(b), std::vector{x}));
}

TEST_CASE("whole_times: the time of everything once is about 2^40 units, whatever it is") {
    for (double const time : {1e-290, 1e-9, 1.0, 1e9, 1e300}) {
        auto const whole = whole_times(make_pair(time, time));
        CHECK(whole.flow.time_once() >= std::int64_t{1} << 39);
        CHECK(whole.flow.time_once() <= std::int64_t{1} << 40);
    }
}

TEST_CASE("whole_times: without any time, all times are 0") {
    auto const whole = whole_times(make_pair(0, 0));
    CHECK(whole.flow.time_once() == 0);
    CHECK(whole.unit > 0);
}
