// Covers graph/dataflow/detail/plain_dataflow.hpp, graph/dataflow/usable_overwrites.hpp, graph/dataflow/edit.hpp.
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/dataflow/detail/plain_dataflow.hpp>
#include <repebble/graph/dataflow/edit.hpp>
#include <repebble/graph/dataflow/usable_overwrites.hpp>

#include "support/catch.hpp"
#include "support/ints.hpp"

using namespace repebble;
using support::ints;

namespace {

/// Operations 0 -> 1 -> 2 of one value each: of 4, 4 and 4 bytes.
auto chain_of_three() -> dataflow_builder {
    dataflow_builder builder;
    for (operation_index v = 0; v < 3; ++v) {
        builder.add_operation(1);
        auto const made = builder.add_value(v, 4);
        if (v > 0) builder.add_read(v, made - 1);
    }
    return builder;
}

}  // namespace

TEST_CASE("make_plain: a dataflow that is plain stays as it is") {
    auto const flow = chain_of_three().build();
    CHECK(detail::is_plain(flow));
    auto const plain = detail::make_plain(flow);
    CHECK((plain.flow == flow && !plain.end));
}

TEST_CASE("make_plain: results are read by a last operation, which also follows all that has no reader") {
    auto builder = chain_of_three();
    builder.add_result(0);
    auto const plain = detail::make_plain(std::move(builder).build());
    REQUIRE(plain.end == operation_index{3});
    CHECK(plain.flow.reads(3).size() == 2);
    CHECK(ints(plain.flow.graph().predecessors(3)) == std::vector<int>{0, 2});
    CHECK((plain.flow.time(3) == 0 && !plain.flow.recomputable(3) && detail::is_plain(plain.flow)));
}

TEST_CASE("make_plain: a control edge is a value of no bytes, and inputs come before all else") {
    auto builder = chain_of_three();
    auto const input = builder.add_input();
    builder.add_value(input, 9);
    builder.add_read(2, builder.output(input, 0));
    auto const w = builder.add_operation(1);
    builder.add_control_edge(w, 1);
    auto const plain = detail::make_plain(std::move(builder).build());
    CHECK(ints(plain.flow.graph().predecessors(1)) == std::vector<int>{0, 4});
    CHECK(ints(plain.flow.graph().predecessors(0)) == std::vector<int>{3});
    CHECK(ints(plain.flow.graph().predecessors(4)) == std::vector<int>{3});
    CHECK(plain.flow.size(plain.flow.writes(4).front()) == 0);
}

TEST_CASE("make_plain: what a mutation writes has the bytes of the storage that it takes over, and all may run again") {
    auto builder = chain_of_three();
    builder.add_mutation(1, 0, 0);
    auto const plain = detail::make_plain(std::move(builder).build());
    CHECK(plain.flow.size(1) == 4);
    CHECK(ints(plain.flow.reads(2)) == std::vector<int>{1});
    CHECK(ints(plain.ended[1]) == std::vector<int>{0});
    CHECK((plain.flow.recomputable(0) && plain.flow.recomputable(1) && plain.flow.recomputable(2)));
}

TEST_CASE("find_usable_overwrites: of equal sizes, in storages that are read by one name, the largest first") {
    dataflow_builder builder;
    auto const u = builder.add_operation(1);
    auto const small = builder.add_value(u, 4), large = builder.add_value(u, 8), seen = builder.add_value(u, 8);
    auto const look = builder.add_operation(1);
    builder.add_read(look, seen);
    auto const view = builder.add_view(look, std::array{seen});
    auto const v = builder.add_operation(1);
    builder.add_value(v, 4);
    builder.add_value(v, 8);
    for (auto const value : {small, large, seen, view}) {
        builder.add_read(v, value);
        builder.allow_overwrite(v, 0, value);
        builder.allow_overwrite(v, 1, value);
    }
    auto const usable = find_usable_overwrites(std::move(builder).build());
    REQUIRE(usable[v].size() == 2);
    CHECK(usable[v][0] == overwrite{1, large});
    CHECK(usable[v][1] == overwrite{0, small});
}

TEST_CASE("find_usable_overwrites: behind a mutation the bytes are those of the storage") {
    dataflow_builder builder;
    auto const x = builder.add_value(builder.add_operation(1), 8);
    auto const writer = builder.add_operation(1);
    builder.add_read(writer, x);
    auto const less = builder.add_value(writer, 2);
    builder.add_mutation(writer, 0, x);
    std::array<operation_index, 2> readers{};
    for (bytes const size : {2, 8}) {
        auto const v = readers[size == 8] = builder.add_operation(1);
        builder.add_read(v, less);
        builder.add_value(v, size);
        builder.allow_overwrite(v, 0, less);
    }
    auto const usable = find_usable_overwrites(std::move(builder).build());
    CHECK(usable[readers[0]].empty());
    REQUIRE(usable[readers[1]].size() == 1);
    CHECK(usable[readers[1]][0] == overwrite{0, less});
}
