// Covers onnx/onnx_network.hpp.
#include <string>
#include <utility>
#include <vector>

#include "program/run_program.hpp"
#include "support/catch.hpp"
#include "support/wire_writer.hpp"

using namespace program;

namespace {

auto model(char const* name) { return source(std::string("tests/data/onnx/") + name + ".onnx.gz"); }

/// y = relu(x), where x is [n, 8].
auto open_model() -> std::string {
    auto const extent = [](std::string const& of) { return wire::block(1, of); };
    auto const type =
        wire::block(1, wire::number(1, 1) + wire::block(2, extent(wire::block(2, "n")) + extent(wire::number(1, 8))));
    auto const relu = wire::block(1, "x") + wire::block(2, "y") + wire::block(4, "Relu");
    return wire::block(8, wire::number(2, 20)) +
           wire::block(7, wire::block(1, relu) + wire::block(11, wire::block(1, "x") + wire::block(2, type)) +
                              wire::block(12, wire::block(1, "y")));
}

}  // namespace

TEST_CASE("plan: an ONNX model is trained within a budget, and planned for inference", "[plan][onnx]") {
    auto const training = run({model("resnet50"), "--strategy", "segment_plan", "--budget", "60%", "--json"});
    CHECK(training.status == 0);
    CHECK(training.err.empty());
    CHECK(training.answer().at("graph").at("name") == "resnet50");
    CHECK(training.plan().at("feasible") == true);
    auto const inference =
        run({model("bert_base"), "--inference", "--in-place", "--strategy", "keep_all", "--budget", "100%", "--json"});
    CHECK(inference.status == 0);
    CHECK(inference.err.empty());  // it has a result
    CHECK(inference.plan().at("peak") == 128'163'840);
}

TEST_CASE("plan: every usual strategy takes a graph with a path that no gradient passes", "[plan][onnx]") {
    temporary_folder const folder;
    auto const file = (folder / "masked.json").string();
    // A mask, 1, of indices, 0, is read by every other layer.
    json graph{{"nodes", json::array()}};
    for (int v = 0; v < 10; ++v) {
        json node{{"id", v}, {"time", v + 1}, {"memory", 16}, {"reads", json::array()}, {"bwd_needs_output", false}};
        if (v < 2) node["has_gradient"] = false;
        if (v == 1) node["reads"] = {{0, 0}};
        if (v > 2) node["reads"] = {{v - 1, 0}};
        if (v > 2 && v % 2 == 0) node["reads"].push_back({1, 0});
        if (v > 2 && v % 2 == 0) node["bwd_needs_inputs"] = {1};
        graph["nodes"].push_back(std::move(node));
    }
    write(file, graph.dump());
    for (auto const* how : conventions) {
        CAPTURE(how);
        auto const done = run({file, "--json", "--convention", how, "--budget", "100%"});
        CHECK(done.status == 0);
        CHECK(done.plans().size() == usual_strategies.size());
        for (auto const& row : done.plans()) {
            CAPTURE(row.dump());
            CHECK(!row.contains("note"));
            CHECK(row.at("peak").is_number());
        }
    }
}

TEST_CASE("plan: dimensions of an ONNX model", "[plan][onnx]") {
    temporary_folder const folder;
    auto const file = (folder / "open.onnx").string();
    write(file, open_model());
    auto const peak = [&](std::vector<std::string> const& options) {
        std::vector<std::string> all{file, "--inference", "--strategy", "keep_all", "--budget", "100%", "--json"};
        all.insert(all.end(), options.begin(), options.end());
        return run(all).plan().at("peak").get<int>();
    };
    CHECK(peak({"--dimension", "n=3"}) == 3 * 8 * 4);
    CHECK(peak({"--batch", "5"}) == 5 * 8 * 4);
    CHECK(peak({"--dimension", "x[0]=7"}) == 7 * 8 * 4);
    CHECK(peak({"--dimension", "n=3", "--dimension", "x[1]=2"}) == 3 * 2 * 4);
    CHECK(run({file, "n=3", "--inference", "--strategy", "keep_all", "--budget", "100%"}).status == 0);

    auto const refused = [&](std::vector<std::string> const& options, std::string const& words) {
        std::vector<std::string> all{file};
        all.insert(all.end(), options.begin(), options.end());
        auto const done = run(all);
        INFO(done.err);
        return done.status == 2 && done.says(words);
    };
    CHECK(refused({}, "open.onnx: node that makes 'y' (Relu): the shape of"));
    CHECK(refused({}, "give name=value for n"));
    CHECK(refused({"m=3"}, "no input has a dimension m; open are n"));
    CHECK(refused({"n=0"}, "n=0 is not name=value"));
    CHECK(refused({"n=3", "--dimension", "n=4"}, "given twice"));
    CHECK(refused({"--length", "7"}, "--length is for networks by name, but"));
    CHECK(refused({"--time-unit", "s"}, "--time-unit is for graph files"));
    CHECK(run({residual, "n=3"}).says("--dimension is for ONNX models, but"));
    CHECK(run({"resnet18", "n=3"}).says("--dimension is for ONNX models, but resnet18 is a network by name"));
    write(folder / "no.onnx", "text");
    CHECK(run({(folder / "no.onnx").string()}).says("no.onnx: is not an ONNX model"));
}

TEST_CASE("plan: times of an ONNX model are those of a device", "[plan][onnx]") {
    auto const time = [](std::vector<std::string> const& options) {
        std::vector<std::string> all{model("googlenet"), "--strategy", "keep_all", "--budget", "100%", "--json"};
        all.insert(all.end(), options.begin(), options.end());
        return run(all).plan().at("time").get<double>();
    };
    auto const twice = time({"--flops-per-second", "78e12", "--bytes-per-second", "1e12"}) / time({});
    CHECK((twice > 1.999 && twice < 2.001));
    CHECK(time({"--device", "h100"}) < time({}));
}

TEST_CASE("allocate: the arena of an ONNX model's inference, without results", "[allocate][onnx]") {
    for (auto const& [name, height] : {std::pair{"bert_base", 22'020'096},
                                       {"googlenet", 128'450'560},
                                       {"resnet18_unfused", 64'225'280},
                                       {"resnet50", 231'211'008}}) {
        auto const done = run_allocate({model(name), "--json"});
        CAPTURE(name, done.err);
        CHECK(done.status == 0);
        CHECK(done.answer().at("height") == height);
        CHECK(done.answer().at("height_least") == true);
    }
    CHECK(run_allocate({model("resnet50"), "--batch", "1", "--capacity", "1"}).status ==
          2);  // its Reshape has a number
    CHECK(run_allocate({lstm_buffers, "--minimise", "n=3"}).says("are for ONNX models"));
}
