// Covers io/json_network.hpp, io/network_in_place.hpp, io/network_training.hpp.
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <repebble/allocate/lifetimes.hpp>
#include <repebble/allocate/write_in_place.hpp>
#include <repebble/io/json_network.hpp>
#include <repebble/io/network_in_place.hpp>
#include <repebble/io/network_training.hpp>
#include <repebble/pebbling/detail/expand_views.hpp>
#include <repebble/pebbling/make_schedule.hpp>
#include <repebble/pebbling/replay.hpp>
#include <repebble/recompute/forward_only.hpp>
#include <repebble/recompute/keep_all.hpp>
#include <repebble/recompute/sqrt_segments.hpp>

#include "support/catch.hpp"
#include "support/golden.hpp"

using namespace repebble;

namespace {

/// Nodes of one time unit; operations, bytes and other fields are given.
auto small_network(std::string const& edges, std::vector<std::string> const& nodes) -> io::network {
    std::string text = R"({"edges":[)" + edges + R"(],"nodes":[)";
    for (std::size_t v = 0; v < nodes.size(); ++v)
        text += (v == 0 ? "" : ",") + std::string(R"({"id":)") + std::to_string(v) + R"(,"time":1,)" + nodes[v] + "}";
    return io::parse_network(text + "]}");
}
auto allowed(io::network const& net, convention how = convention::value_grad) -> std::vector<allowed_overwrite> {
    auto const table = io::find_overwrites(net, io::make_training_graph(net, how));
    return {table.allowed().begin(), table.allowed().end()};
}
using overwrites = std::vector<allowed_overwrite>;

std::string const conv = R"("op":"conv","memory":8,"bwd_needs_output":false)";

}  // namespace

TEST_CASE("a relu between convolutions: forward by its flags, and its gradient by its name", "[network_in_place]") {
    std::string const relu = R"("op":"relu","memory":8,"bwd_needs_inputs":false,"inplace":true,"inplace_src":0)";
    auto const net = small_network("[0,1],[1,2]", {conv, relu, conv});
    // Gradients: operations and values 3, 4, 5, of nodes 2, 1, 0.
    CHECK(allowed(net) == overwrites{{1, 0, 0}, {5, 0, 4}});
    CHECK(allowed(net, convention::op_backward) == overwrites{{1, 0, 0}, {4, 0, 3}});
    CHECK(allowed(net, convention::executable) == overwrites{{1, 0, 0}, {4, 0, 3}});
    // Without in place: 3 values and a gradient each of 2 and 1. The gradient of 0 takes the place of that of 1.
    auto const training = io::make_training_graph(net);
    auto const plan = keep_all(training);
    auto const in_place = write_in_place(training.flow, plan.schedule, io::find_overwrites(net, training));
    auto const during = [&](schedule<> const& s) {
        std::vector<bytes> of_computations;
        auto const profile = replay(training.flow, s, {.profile = true}).profile;
        for (std::size_t i = 0; i < profile.size(); ++i)
            if (s.steps[i].what == action::compute) of_computations.push_back(profile[i]);
        return of_computations;
    };
    CHECK(during(plan.schedule) == std::vector<bytes>{8, 16, 16, 24, 24, 24});
    CHECK(during(in_place) == std::vector<bytes>{8, 8, 16, 24, 24, 16});
}

TEST_CASE("gradients that meet are added in place of one that comes through an addition", "[network_in_place]") {
    auto const net = small_network(
        "[0,1],[0,2],[1,2]",
        {conv, conv, R"("op":"add","memory":8,"bwd_needs_inputs":false,"bwd_needs_output":false,"inplace":true)"});
    CHECK(allowed(net) == overwrites{{2, 0, 0}, {2, 0, 1}, {4, 0, 3}, {5, 0, 3}});
    CHECK(allowed(net, convention::op_backward) ==
          overwrites{{2, 0, 0}, {2, 0, 1}});  // the two gradients are one value
    // An addition of the gradients that reach 0.
    CHECK(allowed(net, convention::executable) == overwrites{{2, 0, 0}, {2, 0, 1}, {5, 0, 3}, {5, 0, 5}});
}

TEST_CASE("a gradient of other bytes than the one that comes in is not in place", "[network_in_place]") {
    auto const net =
        small_network("[0,2],[1,2],[2,3]", {conv, R"("op":"conv","memory":2)", R"("op":"mul","memory":8)", conv});
    // Gradients 4 to 7 of 3, 2, 1, 0: only that of 0 is as large as that of 2.
    CHECK(allowed(net) == overwrites{{7, 0, 5}});
}

TEST_CASE("gradients of a parameter are added up in one block of memory", "[network_in_place]") {
    std::string const wide = R"("op":"conv","memory":8,"bwd_needs_output":false)";
    auto const net = small_network("[0,1],[1,2]", {wide, wide, wide});
    for (auto const how : {convention::value_grad, convention::op_backward, convention::executable}) {
        // Two parameters, as large as the values: nothing is written over but their own sums.
        std::vector<trained_parameter> const parameters{{.size = 8, .users = {0, 1, 2}}, {.size = 8, .users = {1, 2}}};
        auto const training = io::make_training_graph(net, how, parameters);
        auto const rule = io::find_overwrites(net, training);
        REQUIRE(rule.allowed().size() == 3);
        for (auto const& [v, output, over] : rule.allowed()) {
            auto const& before = training.origin[training.flow.producers(over).front()];
            CHECK(before.pass == pass::parameter);
            CHECK(before.part == training.origin[v].part);
        }
        auto const in_place = write_in_place(training.flow, keep_all(training).schedule, rule);
        auto const without = io::make_training_graph(net, how);
        auto const blocks = [](auto const& t, schedule<> const& s) { return find_lifetimes(t.flow, s).buffers.size(); };
        CHECK(blocks(training, in_place) == blocks(without, keep_all(without).schedule) + parameters.size());
    }
}

TEST_CASE("a storage read by two names, or through a view of a part, is not elementwise", "[network_in_place]") {
    auto const gradients_in_place = [](std::string const& edges, std::string const& view) {
        return allowed(small_network(edges, {conv, R"("op":"view","memory":0,"alias_of":0,)" + view,
                                             R"("op":"add","memory":8,"bwd_needs_inputs":false)", conv}))
            .size();
    };
    CHECK(gradients_in_place("[0,1],[1,2],[2,3]", R"("view_bytes":8)") == 1);
    CHECK(gradients_in_place("[0,1],[1,2],[2,3]", R"("view_bytes":4)") == 0);
    CHECK(gradients_in_place("[0,1],[0,2],[1,2],[2,3]", R"("view_bytes":8)") == 0);
}

TEST_CASE("a node may write over the one that inplace_src names, be it larger or a view", "[network_in_place]") {
    auto const net = small_network(
        "[0,1],[1,2],[2,3],[3,4]",
        {conv, R"("op":"batch_norm","memory":10,"outputs_memory":[8,2])", R"("op":"view","memory":0,"alias_of":1)",
         R"("op":"softmax","memory":8,"inplace":true,"inplace_src":2)",
         R"("op":"dropout","memory":10,"outputs_memory":[8,2],"inplace":true,"inplace_src":3)"});
    auto const found = allowed(io::parse_network(R"({"edges":[[0,1],[1,2]],"edge_outputs":[[1,2,0]],"nodes":[
        {"id":0,"op":"conv","time":1,"memory":8},
        {"id":1,"op":"batch_norm","time":1,"memory":10,"outputs_memory":[8,2]},
        {"id":2,"op":"relu","time":1,"memory":8,"bwd_needs_inputs":false,"inplace":true,"inplace_src":1}]})"));
    CHECK(found == overwrites{{2, 0, 1}, {4, 0, 4}});  // value 1 is the first output; the gradient of 1 over that of 2
    auto const forward = detail::forward_part(io::make_training_graph(net));
    auto const plan = forward_only(forward.flow);
    auto const in_place = write_in_place(forward.flow, plan.schedule, io::find_overwrites(net, forward));
    CHECK(replay(forward.flow, in_place).peak == 18);
    // The view looks at both outputs of 1, so that 3 makes a storage of its own; the dropout takes that over.
    CHECK(find_lifetimes(forward.flow, in_place).buffers.size() == 5);
}

TEST_CASE("the backward nodes of a joint file go by their own flags", "[network_in_place]") {
    auto const net = small_network("[0,1],[0,2],[1,2],[2,3]",
                                   {conv, R"("op":"relu","memory":8)",
                                    R"("op":"relu_bwd","memory":8,"phase":"backward","inplace":true,"inplace_src":1)",
                                    R"("op":"relu_bwd","memory":8,"phase":"backward")"});
    CHECK(allowed(net) == overwrites{{2, 0, 1}});
}

TEST_CASE("inference allows more than the flags, which describe training, as far as the caller's rule",
          "[network_in_place]") {
    auto const net =
        small_network("[0,1],[1,2]", {conv, R"("op":"GELU","memory":8)", R"("op":"log_softmax","memory":8)"});
    auto const forward = detail::forward_part(io::make_training_graph(net));
    CHECK(io::find_overwrites(net, forward) == overwrite_table({{1, 0, 0}}));
    auto const all = [](io::network_node const&) { return true; };
    CHECK(io::find_overwrites(net, forward, all) == overwrite_table({{1, 0, 0}, {2, 0, 1}}));
    CHECK(io::find_overwrites(net, io::make_training_graph(net), all) == overwrite_table({{4, 0, 3}, {5, 0, 4}}));
    CHECK(io::find_overwrites(net, io::make_training_graph(net)) == overwrite_table({{5, 0, 4}}));
}

// ---- real networks ---------------------------------------------------------------------------------------------

namespace {

/// Also softmax, whose usual kernels have read a row before they write it.
auto softmax_too(io::network_node const& node) -> bool {
    return io::elementwise_by_name{}(node) || node.op == "log_softmax" || node.op == "softmax";
}
auto all_storages(dataflow const& flow, schedule<> const& plan) -> bytes {
    bytes sum = 0;
    for (auto const& b : find_lifetimes(flow, plan).buffers) sum += b.size;
    return sum;
}

struct measured {
    std::string_view name;
    bytes peak, in_place, softmax_in_place;  // of keep_all under value_grad, or of a joint graph
};
/// Almost all peaks are at operations that cannot be in place: batch norm, convolution, softmax.
constexpr std::array measured_networks{
    measured{"bert_base.json", 9476046848, 9476046848, 8475901952},
    measured{"efficientnet_b0.json", 11274846336, 11243389056, 11243389056},
    measured{"googlenet.json", 11709931392, 11709931392, 11709931392},
    measured{"gpt2_small.json", 7708688384, 7708688384, 6885277696},
    measured{"gpt2_small_joint.json", 7708688384, 7708688384, 7708688384},
    measured{"lstm_4x64.json", 1984954368, 1984954368, 1657274368},
    measured{"resnet152.json", 8526511616, 8526511616, 8526511616},
    measured{"resnet18.json", 2787415552, 2787415552, 2787415552},
    measured{"resnet18_joint.json", 2787415552, 2774832640, 2774832640},
    measured{"resnet50.json", 8266006016, 8266006016, 8266006016},
    measured{"resnet50_joint.json", 8266006016, 8228257280, 8228257280},
    measured{"unet_small.json", 2566919168, 2562724864, 2520781824},
    measured{"unet_small_joint.json", 2566919168, 2562724864, 2562724864},
    measured{"vgg19_bn.json", 8811752448, 8805329920, 8805329920},
};

}  // namespace

TEST_CASE("peaks of real networks in place, with views and without", "[network_in_place][data][long]") {
    for (auto const& [name, peak, expected, with_softmax] : measured_networks) {
        auto const file = support::data_file("own/graphs/" + std::string(name));
        if (!file) SKIP("there is no data folder own/graphs");
        INFO(name);
        auto const net = io::read_network(*file);
        auto const training = io::make_training_graph(net);
        auto const& flow = training.flow;
        auto const plan = keep_all(training);
        auto const rule = io::find_overwrites(net, training);
        auto const in_place = write_in_place(flow, plan.schedule, rule);
        CHECK(plan.cost.peak == peak);
        CHECK(replay(flow, in_place).peak == expected);
        CHECK(replay(flow, write_in_place(flow, plan.schedule, io::find_overwrites(net, training, softmax_too))).peak ==
              with_softmax);
        CHECK(all_storages(flow, in_place) < all_storages(flow, plan.schedule));

        auto const contracted = detail::contract_views(flow);
        auto const without_views = write_in_place(contracted.flow(), make_schedule(contracted.flow()),
                                                  detail::contract_overwrites(flow, contracted, rule));
        CHECK(replay(flow, detail::expand_views(flow, contracted, without_views)).peak == expected);

        auto const recomputed = sqrt_segments(training);
        CHECK(replay(flow, write_in_place(flow, recomputed.schedule, rule)).peak <= recomputed.cost.peak);

        auto const forward = detail::forward_part(training);
        auto const inference = forward_only(forward.flow);
        auto const small = write_in_place(forward.flow, inference.schedule, io::find_overwrites(net, forward));
        CHECK(replay(forward.flow, small).peak <= inference.cost.peak);
        CHECK(inference.cost.peak < peak / 2);
    }
}
