// Covers graph/adapt/boost_graph.hpp, graph/adapt/nested_range.hpp, graph/adapt/property_map.hpp,
// graph/dataflow/make_dataflow.hpp.
#include <cstddef>
#include <cstdint>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/property_map/function_property_map.hpp>

#include <repebble/graph/adapt/boost_graph.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/adapt/property_map.hpp>
#include <repebble/graph/dataflow/make_dataflow.hpp>

#include "support/catch.hpp"

using namespace repebble;

namespace {

struct timed_layer {
    std::int64_t bytes = 0;
    double microseconds = 0;
};
using stored = boost::property<boost::vertex_priority_t, int, timed_layer>;
using net = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, stored>;

auto small_net() -> net {
    net g(2);
    boost::put(boost::vertex_priority, g, 0, 3);
    boost::put(boost::vertex_priority, g, 1, 4);
    g[0] = {100, 1.5};
    g[1] = {200, 2.5};
    boost::add_edge(0, 1, g);
    return g;
}

static_assert(readable_property_map<int const*>);
static_assert(readable_property_map<boost::property_map<net, boost::vertex_priority_t>::const_type>);

}  // namespace

TEST_CASE("a property map of a Boost graph is a weight", "[property_map]") {
    auto const g = small_net();
    auto const weight = from_property_map(get(boost::vertex_priority, g));
    auto const bytes_of = from_property_map(get(&timed_layer::bytes, g));
    auto const time = from_property_map(get(&timed_layer::microseconds, g));
    static_assert(vertex_weight<decltype(weight), net> && vertex_weight<decltype(time), net>);
    CHECK(weight(0) == 3);
    CHECK(weight(1) == 4);

    auto const flow = make_dataflow(g, time, bytes_of);
    CHECK(flow.unit().in_caller_units(flow.time(1)) == 2.5);
    CHECK(flow.size(0) == 100);
    CHECK(flow.size(1) == 200);
}

TEST_CASE("a pointer and a function are property maps too", "[property_map]") {
    std::vector<int> const numbers{5, 6, 7};
    auto const stored_numbers = from_property_map(numbers.data());
    static_assert(vertex_weight<decltype(stored_numbers), std::vector<std::vector<int>>>);
    CHECK(stored_numbers(2) == 7);
    auto const twice = from_property_map(boost::make_function_property_map<int, long>([](int v) { return 2L * v; }));
    CHECK(twice(21) == 42);
}

TEST_CASE("a map that is changed later is read as it is then", "[property_map]") {
    auto g = small_net();
    auto const weight = from_property_map(get(boost::vertex_priority, g));
    boost::put(boost::vertex_priority, g, 1, 9);
    CHECK(weight(1) == 9);
}
