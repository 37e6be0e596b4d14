// Covers networks/by_name.hpp, networks/network_of.hpp, networks/with_values.hpp.
#include <cstddef>
#include <string>

#include <repebble/networks/by_name.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/networks/with_values.hpp>

#include "support/catch.hpp"
#include "support/throws.hpp"

using namespace repebble;
using namespace repebble::networks;

namespace {

constexpr char const* of_all_kinds[] = {"resnet29", "vgg19",       "densenet161", "googlenet_2015", "unet", "pspnet",
                                        "lstm",     "lstm_frames", "gpt2"};

}  // namespace

TEST_CASE("with values as bfloat16, operations make half the bytes and parameters stay", "[networks]") {
    for (auto const* name : of_all_kinds) {
        auto const m = by_name(name, {.batch = 2});
        auto const half = with_values(m, element::bfloat16);
        CAPTURE(name);
        CHECK(half.parameters().size() == m.parameters().size());
        CHECK(half.trained_size() == m.trained_size());
        REQUIRE(half.operations().size() == m.operations().size());
        CHECK(has_values_of(half, element::bfloat16));
        CHECK(!has_values_of(m, element::bfloat16));
        for (std::size_t v = 0; v < m.operations().size(); ++v) {
            auto const& was = m.operations()[v];
            auto const& is = half.operations()[v];
            CHECK(is.name == was.name);
            CHECK(is.parameters == was.parameters);
            CHECK(is.flops == was.flops);
            CHECK(is.outputs[0].shape == was.outputs[0].shape);
            bool const loss = was.outputs[0].rank() == 0;
            CHECK(is.outputs[0].size() == (loss ? was.outputs[0].size() : was.outputs[0].size() / 2));
            for (std::size_t j = 1; !was.is_view() && j < was.outputs.size(); ++j)  // statistics, masks, positions
                CHECK(is.outputs[j] == was.outputs[j]);
        }
        for (std::size_t i = 0; i < m.inputs().size(); ++i)
            CHECK(half.inputs()[i].tensor.type ==
                  (is_floating(m.inputs()[i].tensor.type) ? element::bfloat16 : element::int64));
    }
}

TEST_CASE("a network comes back from bfloat16 as it was", "[networks]") {
    for (auto const* name : of_all_kinds) {
        auto const m = by_name(name, {.batch = 1});
        CAPTURE(name);
        CHECK(with_values(m, element::float32) == m);
        CHECK(with_values(with_values(m, element::bfloat16), element::float32) == m);
    }
}

TEST_CASE("values are floating-point, and operations do not mix their types", "[networks]") {
    model m("mixed");
    auto const a = m.add_input("a", {{2, 3}});
    auto const b = m.add_input("b", {{2, 3}, element::bfloat16});
    CHECK(support::throws<bad_graph>([&] { return m.append("x", add{}, {a, b}); }, {"x: add"}));
    CHECK(support::throws<bad_graph>([&] { return m.append("x", multiply{}, {a, b}); }, {"x: mul"}));
    CHECK(support::throws<bad_graph>([&] { return m.append("x", concat{}, {a, b}); }, {"x: concat"}));
    CHECK(support::throws<bad_graph>([&] { return m.append("x", stack{}, {a, b}); }, {"x: stack"}));
    CHECK(support::throws<bad_graph>([&] { return with_values(m, element::int64); }, {"mixed", "int64"}));
}

TEST_CASE("a graph file says bfloat16 where it is", "[networks]") {
    auto const net = network_of(with_values(by_name("resnet29", {.batch = 1}), element::bfloat16));
    CHECK(net.node(0).extra.at("dtype") == "bfloat16");
    CHECK(net.node(0).memory == 2 * 16 * 32 * 32);
}
