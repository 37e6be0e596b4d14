// The limits of reading files that command lines set.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "program/run_program.hpp"
#include "support/catch.hpp"

using namespace program;

namespace {

using runner = outcome (*)(std::vector<std::string> const&);

}  // namespace

TEST_CASE("reading a file keeps to --read-memory and --read-work, with one line that names the file",
          "[plan][allocate][treewidth][chain][pipeline]") {
    auto const model = source("tests/data/onnx/resnet50.onnx.gz");
    for (auto const& [program, file] : {std::pair{runner(run), residual},
                                        {runner(run), model},
                                        {runner(run_treewidth), residual},
                                        {runner(run_allocate), model},
                                        {runner(run_chain), resnet_chain},
                                        {runner(run_pipeline), v_pipeline}}) {
        CAPTURE(file);
        for (auto const& limit : std::vector<std::vector<std::string>>{{"--read-memory", "1KiB"},
                                                                       {"--read-work", "100"},
                                                                       {"--read-memory", "never"},
                                                                       {"--read-work", "-1"}}) {
            auto words = limit;
            words.insert(words.begin(), file);
            if (file == resnet_chain) words.emplace_back("--curve");
            if (file == v_pipeline) words.insert(words.end(), {"--budget", "min"});
            auto const refused = program(words);
            CAPTURE(refused.err);
            CHECK(refused.status == 2);
            CHECK(refused.says(limit[1] == "1KiB" || limit[1] == "100" ? file + ": " : limit[0]));
            CHECK(std::ranges::count(refused.err, '\n') == 1);
        }
    }
    CHECK(run({residual, "--replay", source("tests/data/schedule_version_1.json"), "--read-memory", "1KiB"}).status ==
          2);
    CHECK(run({residual, "--strategy", "keep_all", "--budget", "100%", "--read-memory", "1GiB"}).status == 0);
}

TEST_CASE("plan: gradients of an operation that reads thousands of values are refused, and allowed with more memory",
          "[plan]") {
    temporary_folder const folder;
    std::string nodes = R"({"id":0,"time":1,"memory":4})", edges;
    for (int k = 1; k <= 2'500; ++k) {
        nodes += ",{\"id\":" + std::to_string(k) + R"(,"time":1,"memory":4})";
        edges += (k > 1 ? ",[0," : "[0,") + std::to_string(k) + "],[" + std::to_string(k) + ",2501]";
    }
    auto const file = (folder / "wide.json").string();
    write(file, "{\"nodes\":[" + nodes + ",{\"id\":2501,\"time\":1,\"memory\":4}],\"edges\":[" + edges + "]}");
    std::vector<std::string> words{file, "--strategy", "keep_all", "--budget", "100%"};
    auto const refused = run(words);
    CHECK(refused.status == 2);
    CHECK(refused.says(file + ": node 2501 reads 2500 nodes"));
    words.insert(words.end(), {"--convention", "op_backward"});
    CHECK(run(words).status == 0);
}
