// Covers pebbling/replay.hpp, pebbling/violation.hpp.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/pebbling/replay.hpp>

#include "support/catch.hpp"

using namespace repebble;

namespace {

constexpr operation_index source = 0;  // writes a, 4 bytes
constexpr operation_index reader = 1;  // reads a, writes b, 2 bytes
constexpr operation_index viewer = 2;  // looks at a
constexpr operation_index once = 3;    // reads b and the view, writes c, 4 bytes; may run once only

auto small_flow() -> dataflow {
    dataflow_builder builder;
    for (bool const recomputable : {true, true, true, false}) builder.add_operation(1, 0, recomputable);
    auto const a = builder.add_value(source, 4);
    auto const b = builder.add_value(reader, 2);
    std::vector<value_index> const viewed{a};
    auto const view = builder.add_view(viewer, viewed);
    builder.add_value(once, 4);
    builder.add_read(reader, a);
    builder.add_read(viewer, a);
    builder.add_read(once, b);
    builder.add_read(once, view);
    return std::move(builder).build();
}

auto compute(operation_index v, std::uint32_t repetition = 0) -> step<> {
    return {.repetition = repetition, .vertex = v};
}
auto discard(operation_index v, pool from = pool::device) -> step<> {
    return {.what = action::discard, .from = from, .vertex = v};
}
auto offload(operation_index v) -> step<> { return {.what = action::offload, .vertex = v}; }
auto prefetch(operation_index v) -> step<> { return {.what = action::prefetch, .from = pool::host, .vertex = v}; }
auto over(step<> s, operation_index v) -> step<> {
    s.in_place = true;
    s.over = v;
    return s;
}

/// What the judge says of these steps.
struct answer {
    std::size_t step;
    rule broken;
    std::size_t vertex;
    friend auto operator==(answer const&, answer const&) -> bool = default;
};
auto judged(std::vector<step<>> const& steps, replay_options const& options = {}) -> answer {
    auto const broken = verify_schedule(small_flow(), schedule<>{steps}, options).broken;
    if (!broken) return {~std::size_t{0}, rule::complete, 0};
    // The message says all that the members say.
    CHECK(broken->message.find("step " + std::to_string(broken->step)) == 0);
    CHECK(broken->message.find("vertex " + std::to_string(broken->vertex)) != std::string::npos);
    CHECK(broken->message.find(to_string(broken->broken)) != std::string::npos);
    return {broken->step, broken->broken, broken->vertex};
}

}  // namespace

TEST_CASE("names that do not exist", "[rules]") {
    CHECK(judged({compute(4)}) == answer{0, rule::names_exist, 4});
    CHECK(judged({compute(source), {.what = action::discard, .output = 1, .vertex = source}}) ==
          answer{1, rule::names_exist, source});
    CHECK(judged({compute(source), over(compute(reader), 4)}) == answer{1, rule::names_exist, 4});
    CHECK(judged({compute(source), {.in_place = true, .output = 1, .vertex = reader, .over = source}}) ==
          answer{1, rule::names_exist, reader});
    CHECK(judged({compute(source), {.in_place = true, .vertex = reader, .over_output = 1, .over = source}}) ==
          answer{1, rule::names_exist, source});
    CHECK(judged({compute(source)}, {.resident_at_end = {4}}) == answer{1, rule::names_exist, 4});
}

TEST_CASE("repetition numbers that do not count", "[rules]") {
    CHECK(judged({compute(source, 1)}) == answer{0, rule::repetition_counts, source});
    CHECK(judged({compute(source), compute(source, 0)}) == answer{1, rule::repetition_counts, source});
    CHECK(judged({discard(source)}) == answer{0, rule::repetition_counts, source});
    CHECK(judged({compute(source), compute(source, 1), discard(source)}) == answer{2, rule::repetition_counts, source});
}

TEST_CASE("an operation whose inputs are not resident", "[rules]") {
    CHECK(judged({compute(reader)}) == answer{0, rule::reads_resident, reader});
    CHECK(judged({compute(source), discard(source), compute(reader)}) == answer{2, rule::reads_resident, reader});
    CHECK(judged({compute(source), offload(source), discard(source), compute(reader)}) ==
          answer{3, rule::reads_resident, reader});
    // A view of a is alive, and with it the bytes, but a itself is not there.
    CHECK(judged({compute(source), compute(viewer), discard(source), compute(reader)}) ==
          answer{3, rule::reads_resident, reader});
}

TEST_CASE("an operation that may run once runs twice", "[rules]") {
    std::vector<step<>> steps{compute(source), compute(reader), compute(viewer), compute(once)};
    CHECK(judged(steps).step == ~std::size_t{0});
    steps.push_back(compute(once, 1));
    CHECK(judged(steps) == answer{4, rule::runs_once, once});
}

TEST_CASE("a discard of a value that is not resident", "[rules]") {
    CHECK(judged({compute(source), discard(source), discard(source)}) == answer{2, rule::discards_resident, source});
    CHECK(judged({compute(source), discard(source, pool::host)}) == answer{1, rule::discards_resident, source});
    CHECK(judged({compute(source), offload(source), discard(source), discard(source)}) ==
          answer{3, rule::discards_resident, source});
}

TEST_CASE("a copy from where the value is not, or to where it is", "[rules]") {
    CHECK(judged({compute(source), offload(source), offload(source)}) == answer{2, rule::copies_resident, source});
    CHECK(judged({compute(source), discard(source), offload(source)}) == answer{2, rule::copies_resident, source});
    CHECK(judged({compute(source), prefetch(source)}) == answer{1, rule::copies_resident, source});
    CHECK(judged({compute(source), offload(source), prefetch(source)}) == answer{2, rule::copies_resident, source});
}

TEST_CASE("a copy of a view", "[rules]") {
    CHECK(judged({compute(source), compute(viewer), offload(viewer)}) == answer{2, rule::copies_owner, viewer});
}

TEST_CASE("a value is written over that is not in its last use", "[rules]") {
    CHECK(judged({compute(source), compute(viewer), over(compute(reader), source)}) ==
          answer{2, rule::overwrites_last, reader});
    CHECK(judged({compute(source), over(compute(viewer), source)}) == answer{1, rule::overwrites_last, viewer});
    CHECK(judged({compute(source), over(compute(source, 1), source)}) == answer{1, rule::overwrites_last, source});
    CHECK(judged({compute(source), over(compute(reader), once)}) == answer{1, rule::overwrites_last, reader});
}

TEST_CASE("a value is written over that is too small", "[rules]") {
    CHECK(judged({compute(source), compute(reader), compute(viewer), over(compute(once), reader)}) ==
          answer{3, rule::overwrite_fits, once});
}

TEST_CASE("a schedule that does not reach its end", "[rules]") {
    CHECK(judged({}) == answer{0, rule::complete, once});
    CHECK(judged({compute(source), compute(reader)}) == answer{2, rule::complete, once});
    CHECK(judged({compute(source), compute(reader), discard(reader)}, {.resident_at_end = {0, 1}}) ==
          answer{3, rule::complete, reader});
}

TEST_CASE("replay throws the violation that judge returns", "[rules]") {
    schedule<> const plan{{compute(reader)}};
    try {
        replay(small_flow(), plan);
        FAIL("nothing thrown");
    } catch (illegal_schedule const& e) {
        CHECK(e.what_broke == verify_schedule(small_flow(), plan).broken);
        CHECK(e.what() == e.what_broke.message);
    }
}

TEST_CASE("every rule has a name of its own", "[rules]") {
    std::vector<std::string> names;
    for (int r = 0; r <= static_cast<int>(rule::complete); ++r) names.emplace_back(to_string(static_cast<rule>(r)));
    std::ranges::sort(names);
    CHECK(std::ranges::adjacent_find(names) == names.end());
}
