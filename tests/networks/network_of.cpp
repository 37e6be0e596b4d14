// Covers networks/by_name.hpp, networks/measured_times.hpp, networks/network_of.hpp.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <repebble/io/json_network.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/measured_times.hpp>
#include <repebble/networks/network_of.hpp>

#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/throws.hpp"

using namespace repebble;
using namespace repebble::networks;

namespace {

/// x -> norm -> relu -> split into two, of which the second is multiplied with itself.
auto small() -> model {
    model m("small");
    auto x = m.add_input("x", {{2, 3, 4, 4}});
    x = m.append("norm", batch_norm{}, {x});
    x = m.append("relu", relu{}, {x});
    auto const parts = m.append("split", split{2}, {x});
    auto const flat = m.append("flat", reshape{{2, 24}}, {output_of(parts, 1)});
    static_cast<void>(m.append("square", multiply{}, {flat, flat}));
    return m;
}

template <class Time>
concept takes_times = requires(Time const& time) { network_of(model("m"), time); };

}  // namespace

TEST_CASE("the graph of a model has its operations under the same numbers", "[networks]") {
    auto const net = network_of(small());
    CHECK(net.name() == "small");
    REQUIRE(net.nodes().size() == 5);
    CHECK(net.node(0).outputs_memory == std::vector<bytes>{384, 12, 12});
    CHECK(net.node(0).memory == 408);
    CHECK(net.node(1).memory == 384);
    CHECK(net.node(4).memory == 192);
    CHECK(std::vector(net.edges().begin(), net.edges().end()) ==
          std::vector<csr_graph::edge>{{0, 1}, {1, 2}, {2, 3}, {3, 4}});
    CHECK(net.outputs_read(0)[0] == 0);
    CHECK(net.outputs_read(0).size() == 1);  // statistics are for the gradient
    CHECK(net.outputs_read(2)[0] == 1);      // the second part
}

TEST_CASE("views own nothing and lead to the operation that owns their storage", "[networks]") {
    auto const net = network_of(small());
    for (std::uint32_t const v : {2U, 3U}) {
        CHECK(net.node(v).alias_of == 1U);
        CHECK(net.node(v).memory == 0);
        CHECK(net.node(v).time == 0);
    }
    CHECK(net.node(2).output_count() == 2);
    model m("m");
    static_cast<void>(m.append("flat", reshape{{6}}, {m.add_input("x", {{2, 3}})}));
    CHECK(support::throws<bad_graph>([&] { return network_of(m); }, {"flat", "input of the model"}));
}

TEST_CASE("flags say what gradients read and what may be overwritten", "[networks]") {
    auto const net = network_of(small());
    CHECK((net.node(0).bwd_needs_inputs && !net.node(0).bwd_needs_output));
    CHECK((!net.node(1).bwd_needs_inputs && net.node(1).bwd_needs_output));
    CHECK((net.node(1).inplace && net.node(1).inplace_src == 0U));
    CHECK((!net.node(0).inplace && !net.node(0).inplace_src));  // it reads an input of the model
    CHECK((net.node(4).bwd_needs_inputs && !net.node(4).inplace));
}

TEST_CASE("kind, attributes, operands and parameters stay on the vertex", "[networks]") {
    auto const net = network_of(by_name("resnet18", {.batch = 1}));
    auto const& conv = net.node(0).extra;
    CHECK(conv.at("attributes") == nlohmann::json{{"kernel", 7}, {"stride", 2}, {"padding", 3}});
    CHECK(net.node(0).reads == std::vector<io::node_operand>{{.outside = "images"}});
    CHECK(conv.at("shape") == nlohmann::json{1, 64, 112, 112});
    CHECK(net.node(1).reads == std::vector<io::node_operand>{{.of = {0, 0}}});
    CHECK(net.extra().at("parameters").at(conv.at("parameters").at(0).get<std::size_t>()).at("name") ==
          "stem.conv.weight");
    CHECK(net.extra().at("inputs").at(0).at("name") == "images");
}

TEST_CASE("a graph file of a network is read again as the same", "[networks]") {
    for (auto const* name : {"resnet18", "googlenet_2015", "unet", "gpt2"}) {
        auto const net = network_of(by_name(name));
        CHECK(io::parse_network(io::to_text(net)) == net);
    }
}

TEST_CASE("times come from a callable, or from a table by name", "[networks]") {
    auto const m = small();
    CHECK(network_of(m, [](operation const& v) { return v.is_view() ? 0 : 7; }).node(4).time == 7);
    measured_times const table({{"norm", 3}, {"relu", 4}, {"square", 5}});
    auto const net = network_of(m, table);
    CHECK((net.node(0).time == 3 && net.node(1).time == 4 && net.node(2).time == 0 && net.node(4).time == 5));
    CHECK(support::throws<bad_graph>(
        [&] {
            return network_of(m, measured_times({{"norm", 3}}));
        },
        {"no operation relu"}));
}

TEST_CASE("times are whole numbers, and names of operations their own", "[networks]") {
    auto const real = [](operation const&) { return 0.5; };
    STATIC_REQUIRE(!takes_times<decltype(real)>);
    STATIC_REQUIRE(takes_times<roofline>);
    auto const before = [](operation const&) { return -1; };
    CHECK(support::throws<bad_weight>([&] { return network_of(small(), before); }, {"norm: its time is negative"}));
    auto m = small();
    static_cast<void>(m.append("relu", relu{}, {{operand::source::operation, 1}}));
    CHECK(support::throws<bad_graph>([&] { return network_of(m); }, {"two operations", "relu"}));
}

TEST_CASE("a table may be asked to have nothing but the operations of a model", "[networks]") {
    CHECK_NOTHROW(measured_times({{"norm", 3}}).require_only(small()));
    CHECK(support::throws<bad_graph>(
        [] {
            return measured_times({{"nrom", 3}}).require_only(small()), 0;
        },
        {"no operation nrom in small"}));
}

TEST_CASE("a table of times is written and read again", "[networks]") {
    testing::temporary_folder const folder;
    measured_times const table({{"stem.conv", 244075}, {"relu", 0}});
    write_times(folder / "times.json", table);
    CHECK(read_times(folder / "times.json") == table);
}

TEST_CASE("a table that is none is refused with its name and the operation", "[networks]") {
    auto const refuses = [](std::string const& text, std::initializer_list<std::string_view> words) {
        return support::throws<bad_file>([&] { return parse_times(text, "t.json"); }, words);
    };
    auto const with = [](std::string const& times) {
        return R"({"format": "repebble-times", "version": 1, "times": )" + times + "}";
    };
    CHECK(parse_times(with("{}")) == measured_times{});
    CHECK(refuses("[]", {"t.json", "repebble-times"}));
    CHECK(refuses(R"({"format": "repebble-times", "version": 2})", {"version"}));
    CHECK(refuses(R"({"format": "repebble-times", "version": 1})", {"'times'"}));
    CHECK(refuses(with("3"), {"'times'"}));
    CHECK(refuses(with(R"({"a": -1})"), {"time of a"}));
    CHECK(refuses(with(R"({"a": 1.5})"), {"time of a"}));
    CHECK(refuses(with(R"({"a": 9223372036854775808})"), {"time of a"}));
    CHECK(refuses(with(R"({"a": 1, "a": 2})"), {"twice"}));
    CHECK(refuses("{", {"line 1"}));
}
