// Covers networks/by_name.hpp, networks/network_of.hpp, networks/trained_parameters.hpp.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include <repebble/io/json_network.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/networks/by_name.hpp>
#include <repebble/networks/network_of.hpp>
#include <repebble/networks/trained_parameters.hpp>
#include <repebble/recompute/keep_all.hpp>

#include "support/catch.hpp"
#include "support/golden.hpp"
#include "support/throws.hpp"

using namespace repebble;
using namespace repebble::networks;

namespace {

auto count_parameters(std::string const& name, sizes const& asked = {}) -> std::int64_t {
    return by_name(name, asked).trained_size() / 4;
}
auto convolutions_and_products(model const& m) -> std::size_t {
    std::size_t count = 0;
    for (auto const& v : m.operations()) count += v.flops > 0 ? 1U : 0U;
    return count;
}

/// What is compared of a graph: sums over its operations.
struct figures {
    std::size_t operations = 0;  ///< without views
    std::int64_t time = 0;
    bytes memory = 0;
    std::int64_t flops = 0;
    bytes parameters = 0;
    bytes traffic = 0;
    std::map<std::string, std::size_t> kinds{};  ///< without views
    friend auto operator==(figures const&, figures const&) -> bool = default;
};
auto figures_of(io::network const& net) -> figures {
    figures sums;
    sums.parameters = net.extra().at("total_params_bytes").get<bytes>();
    for (auto const& node : net.nodes()) {
        if (node.is_view()) continue;
        ++sums.operations;
        ++sums.kinds[node.op == "mean" ? "pool" : node.op];  // a mean over an image is a pool of one cell
        sums.time += node.time;
        sums.memory += node.memory;
        sums.flops += node.extra.at("flops").get<std::int64_t>();
        sums.traffic += node.extra.at("bytes").get<bytes>();
    }
    return sums;
}

}  // namespace

TEST_CASE("the networks have as many parameters as the literature says", "[networks]") {
    CHECK(count_parameters("resnet18") == 11'689'512);
    CHECK(count_parameters("resnet34") == 21'797'672);
    CHECK(count_parameters("resnet50") == 25'557'032);
    CHECK(count_parameters("resnet101") == 44'549'160);
    CHECK(count_parameters("resnet152") == 60'192'808);
    CHECK(count_parameters("vgg19") == 143'667'240);
    CHECK(count_parameters("vgg19_bn") == 143'678'248);
    CHECK(count_parameters("densenet161") == 28'681'000);
    CHECK(count_parameters("googlenet") == 6'624'904);
    CHECK(count_parameters("unet", {}) == 31'030'658);
    // Products of 50 and three times 1024 features with biases, four recurrent ones, and the classes.
    CHECK(count_parameters("lstm_frames") == 4096 * (50 + 1) + 3 * 4096 * (1024 + 1) + 4 * 4096 * 1024 + 5000 * 1025);
    CHECK(count_parameters("gpt2", {.length = 1024}) == 124'439'808);
    CHECK(count_parameters("gpt2_medium", {.length = 1024}) == 354'823'168);
    CHECK(count_parameters("gpt2_large", {.length = 1024}) == 774'030'080);
    CHECK(count_parameters("gpt2_xl", {.length = 1024}) == 1'557'611'200);
    CHECK(count_parameters("llama2_7b") == 6'738'415'616);
    CHECK(count_parameters("llama3_1b") == 1'235'814'400);
    CHECK(count_parameters("llama3_8b") == 8'030'261'248);
}

TEST_CASE("a residual network has as many layers as its name says", "[networks]") {
    // Shortcut convolutions do not count: one per stage whose extents change.
    for (auto const& [name, depth, shortcuts] : {std::tuple{"resnet18", 18, 3},
                                                 {"resnet34", 34, 3},
                                                 {"resnet50", 50, 4},
                                                 {"resnet152", 152, 4},
                                                 {"resnet164", 164, 3},
                                                 {"resnet1001", 1001, 3},
                                                 {"resnet1001_imagenet", 1001, 4},
                                                 {"resnet101", 101, 4}}) {
        INFO(name);
        CHECK(convolutions_and_products(by_name(name, {.batch = 1})) == static_cast<std::size_t>(depth + shortcuts));
    }
}

TEST_CASE("networks of one depth and two layouts have two names", "[networks]") {
    CHECK(by_name("resnet110", {.batch = 1}).name() == "resnet110");
    CHECK(by_name("resnet110_imagenet", {.batch = 1}).name() == "resnet110_imagenet");
    CHECK(by_name("resnet50_imagenet", {.batch = 1}) == by_name("resnet50", {.batch = 1}));
}

TEST_CASE("multiply-adds per image are those of the literature", "[networks]") {
    for (auto const& [name, billions] : {std::pair{"resnet18", 1.81},
                                         {"resnet50", 4.09},
                                         {"resnet152", 11.51},
                                         {"vgg19", 19.63},
                                         {"densenet161", 7.73}}) {
        INFO(name);
        auto const flops = figures_of(network_of(by_name(name, {.batch = 1}))).flops;
        CHECK(std::abs(static_cast<double>(flops) / 2e9 - billions) < 0.005);
    }
}

TEST_CASE("the builders agree with the exported graphs, operation for operation", "[networks][data][long]") {
    unet_options small;
    small.images = {.batch = 16, .resolution = 256, .classes = 21};
    small.width = 32;
    small.levels = 2;
    small.padded = small.norm = true;
    small.activate_up = small.drop = false;
    std::map<std::string, model> const built{{"resnet18", by_name("resnet18")},   {"resnet50", by_name("resnet50")},
                                             {"resnet152", by_name("resnet152")}, {"vgg19_bn", by_name("vgg19_bn")},
                                             {"googlenet", by_name("googlenet")}, {"unet_small", unet(small)},
                                             {"lstm_4x64", by_name("lstm")},      {"gpt2_small", by_name("gpt2")}};
    for (auto const& [name, m] : built) {
        INFO(name);
        auto const file = support::data_file("own/graphs/" + name + ".json");
        if (!file) SKIP("there is no data folder own/graphs");
        auto expected = figures_of(io::read_network(*file));
        expected.memory += 4;  // the files count the loss itself among the gradients of parameters
        CHECK(figures_of(network_of(m)).kinds == expected.kinds);
        CHECK(figures_of(network_of(m)) == expected);
    }
}

TEST_CASE("what a Llama computes and keeps is what its shapes say", "[networks]") {
    std::int64_t const batch = 3, length = 64, rows = batch * length;
    for (auto const& [name, layers, features, heads, groups, inside, vocabulary] :
         {std::tuple{"llama2_7b", 32, 4096, 32, 32, 11008, 32'000},
          {"llama3_1b", 16, 2048, 32, 8, 8192, 128'256},
          {"llama3_8b", 32, 4096, 32, 8, 14336, 128'256}}) {
        INFO(name);
        auto const sums = figures_of(network_of(by_name(name, {.batch = batch, .length = length})));
        auto const size = features / heads;
        // Norms, queries, sums of values, projection, the last product, sums; keys and values; scores; the gated unit.
        auto const layer =
            rows * (10 * features + 2 + 4 * groups * size + 4 * inside) + 4 * batch * heads * length * length;
        CHECK(sums.memory == 4 * (layers * layer + rows * (2 * features + 1 + 2 * vocabulary) + 2));
        auto const products = rows * features * (2 * features + 2 * groups * size + 3 * inside);
        auto const attention = 2 * batch * heads * length * length * size;
        CHECK(sums.flops == 2 * (layers * (products + attention) + rows * features * vocabulary));
    }
}

TEST_CASE("a larger batch has the same operations, and values larger in proportion", "[networks]") {
    for (auto const* name : {"resnet18", "resnet164", "vgg19", "googlenet_2015", "unet", "pspnet", "lstm",
                             "lstm_frames", "gpt2", "llama3_1b"}) {
        INFO(name);
        auto const one = by_name(name, {.batch = 1});
        auto const three = by_name(name, {.batch = 3});
        REQUIRE(one.operations().size() == three.operations().size());
        CHECK(std::ranges::equal(one.parameters(), three.parameters()));
        for (std::size_t v = 0; v < one.operations().size(); ++v) {
            auto const& [a, b] = std::pair{one.operations()[v], three.operations()[v]};
            INFO(a.name);
            CHECK(b.flops == 3 * a.flops);
            // Statistics of a batch norm, positions and the loss are as large for one image.
            auto const before = a.outputs[0].size();
            CHECK((b.outputs[0].size() == 3 * before || before == 4 || a.name == "positions" ||
                   a.name.ends_with(".scale")));
        }
    }
}

TEST_CASE("every network by name is a valid graph that can be trained", "[networks][long]") {
    for (auto const* name :
         {"resnet18", "resnet34", "resnet50", "resnet164", "vgg19", "vgg19_bn", "densenet161", "googlenet",
          "googlenet_2015", "unet", "pspnet", "lstm", "lstm_frames", "gpt2", "llama3_1b"}) {
        INFO(name);
        auto const net = network_of(by_name(name));
        CHECK(net.name() == name);
        for (auto const how : {convention::value_grad, convention::op_backward, convention::executable}) {
            auto const plan = keep_all(io::make_training_graph(net, how));
            CHECK(plan.cost.peak > 0);
            CHECK(plan.cost.overhead == 0);
        }
    }
}

TEST_CASE("all parameters of the unrolled LSTM are those of its layers, whatever the length", "[networks]") {
    CHECK(count_parameters("lstm", {.length = 2}) == count_parameters("lstm", {.length = 64}));
    CHECK(count_parameters("lstm", {.length = 1}) < count_parameters("lstm", {.length = 2}));  // nothing recurs
}

TEST_CASE("an LSTM over frames has a loss and labels at each step, and shares all parameters", "[networks]") {
    auto const m = by_name("lstm_frames", {.batch = 2, .length = 5});
    CHECK(m.inputs().size() == 10);
    auto const net = network_of(m);
    std::size_t losses = 0;
    for (std::size_t v = 0; v < net.nodes().size(); ++v)
        if (net.graph().successors(v).empty()) losses += net.nodes()[v].op == "loss" ? 1U : 100U;
    CHECK(losses == 5);
    auto const parameters = parameters_of(m);
    REQUIRE(parameters.size() == 4 * 3 + 2);
    bytes size = 0;
    for (auto const& p : parameters) {
        size += p.size;
        bool const recurrent = m.operations()[p.users.front()].name.ends_with("recurrent");
        CHECK(p.users.size() == (recurrent ? 4U : 5U));
    }
    CHECK(size == m.trained_size());
}

TEST_CASE("what is not trained is none of the trained parameters", "[networks]") {
    auto const m = by_name("gpt2", {.batch = 1, .length = 8});
    auto const parameters = parameters_of(m);
    CHECK(parameters.size() < m.parameters().size());  // masks
    bytes size = 0;
    for (auto const& p : parameters) size += p.size;
    CHECK(size == m.trained_size());
}

TEST_CASE("what no network is called or cannot be is refused with what there is", "[networks]") {
    using support::throws;
    CHECK(throws<bad_graph>([] { return by_name("alexnet"); }, {"alexnet", "resnet50", "gpt2_xl"}));
    CHECK(throws<bad_graph>([] { return by_name("resnet"); }, {"no network resnet"}));
    CHECK(throws<bad_graph>([] { return by_name("resnet100"); }, {"resnet100", "9 k + 2"}));
    CHECK(throws<bad_graph>([] { return by_name("resnet49_imagenet"); }, {"49", "3 k + 2"}));
    CHECK(throws<bad_graph>([] { return by_name("resnet900002"); }, {"100000 layers"}));
    CHECK(throws<bad_graph>([] { return by_name("resnet99999999999999999999"); }, {"no network"}));
    CHECK(throws<bad_graph>([] { return by_name("resnet050"); }, {"no network resnet050"}));
    CHECK(throws<bad_graph>([] { return by_name("lstm", {.length = 10'001}); }, {"10000 steps"}));
    CHECK(throws<bad_graph>([] { return by_name("lstm_frames", {.length = 10'001}); }, {"lstm_frames", "10000 steps"}));
    CHECK(throws<bad_graph>([] { return lstm({.layers = 0}); }, {"lstm", "0 layers"}));
    CHECK(throws<bad_graph>([] { return lstm_frames({.layers = 0}); }, {"lstm_frames", "0 layers"}));
    CHECK(throws<bad_graph>([] { return unet({.levels = 0}); }, {"unet", "0 levels"}));
    CHECK(throws<bad_graph>([] { return gpt2({.heads = 5}); }, {"768 features", "5 heads"}));
    CHECK(throws<bad_graph>([] { return llama({.heads = 5}); }, {"4096 features", "5 heads"}));
    CHECK(throws<bad_graph>([] { return llama({.groups = 5}); }, {"32 heads", "5 groups"}));
    CHECK(throws<bad_graph>([] { return by_name("resnet50", {.length = 3}); }, {"resnet50 has no length"}));
    CHECK(throws<bad_graph>([] { return by_name("gpt2", {.resolution = 3}); }, {"gpt2 has no resolution"}));
    CHECK(throws<bad_graph>([] { return by_name("lstm", {.classes = 3}); }, {"lstm has no number of classes"}));
    CHECK(throws<bad_graph>([] { return by_name("resnet50", {.batch = 0}); }, {"images", "0x3"}));
    CHECK(throws<bad_graph>([] { return by_name("vgg19", {.resolution = 16}); }, {"stage5.pool", "too small"}));
    CHECK(throws<bad_graph>([] { return by_name("resnet50", {.classes = 0}); }, {"0 classes"}));
    CHECK(throws<bad_weight>([] { return by_name("resnet50", {.batch = std::int64_t{1} << 50}); }, {"overflow"}));
}
