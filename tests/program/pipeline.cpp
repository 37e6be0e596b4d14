#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <repebble/io/gzip.hpp>
#include <repebble/pipelines/json_pipeline.hpp>
#include <repebble/pipelines/verify_pipeline.hpp>

#include "program/run_program.hpp"
#include "support/catch.hpp"

using namespace program;

namespace {

using pipeline_words = std::vector<std::string>;
auto const few_tries = pipeline_words{"--tries", "20"};

auto run_v(pipeline_words more) -> outcome {
    more.insert(more.begin(), v_pipeline);
    more.insert(more.end(), few_tries.begin(), few_tries.end());
    return run_pipeline(more);
}

}  // namespace

TEST_CASE("pipeline --least-ranks: on so many ranks, on no fewer, and a plan for these", "[pipeline]") {
    auto const done = run_v({"--budget", "3GiB", "--least-ranks", "--json"});
    CHECK(done.status == 0);
    auto const answer = done.answer();
    auto const& least = answer.at("least_ranks");
    CHECK(least.at("ranks") == answer.at("ranks"));
    CHECK(least.at("ranks") >= least.at("lower_bound"));
    for (auto const& peak : answer.at("peaks")) CHECK(peak <= std::int64_t{3} << 30);
    CHECK(run_v({"--budget", "100GiB", "--least-ranks"}).out.find("fit on 1 rank, on no fewer") != std::string::npos);
    auto const none = run_v({"--budget", "1MiB", "--least-ranks"});
    CHECK(none.status == 3);
    CHECK(none.out.find("stage 0 does not fit on a rank") != std::string::npos);
    for (auto const* budget : {"50%", "min", "3GiB,3GiB"})
        CHECK(run_v({"--budget", budget, "--least-ranks"}).status == 2);
}

TEST_CASE("pipeline --least-ranks of a network: a plan of its parts, and fewer ranks that have none", "[pipeline]") {
    auto const least = [](pipeline_words more) {
        more.insert(more.begin(), {"gpt2", "--batch", "1", "--length", "64", "--microbatches", "2", "--least-ranks"});
        more.insert(more.end(), {"--time-limit", "0.2"});
        more.insert(more.end(), few_tries.begin(), few_tries.end());
        return run_pipeline(more);
    };
    // The parameters alone take 475 MiB, 16 bytes each 1.9 GiB.
    auto const two = least({"--budget", "1200MiB", "--include", "parameters,gradients,optimizer", "--json"});
    REQUIRE(two.status == 0);
    auto const answer = two.answer();
    CHECK(answer.at("least_ranks").at("lower_bound") == 2);
    CHECK(answer.at("ranks") == answer.at("least_ranks").at("ranks"));
    for (auto const& peak : answer.at("peaks")) CHECK(peak <= 1200 << 20);
    CHECK(least({"--budget", "1200MiB"}).out.find("a plan on 1 rank; on fewer than 1") != std::string::npos);
    auto const none = least({"--budget", "100MiB", "--include", "parameters"});
    CHECK(none.status == 3);
    CHECK(none.out.find("part 0 does not fit on a rank") != std::string::npos);
    CHECK(least({"--budget", "1GiB", "--include", "inputs"}).says("--include"));
    CHECK(run_v({"--budget", "3GiB", "--batch", "2"}).says("--batch"));
    CHECK(run_pipeline({"gpt3", "--budget", "3GiB", "--least-ranks"}).says("no network gpt3"));
}

TEST_CASE("pipeline: the JSON has the documented fields, and is a pipeline file with its order", "[pipeline]") {
    auto const done = run_v({"--budget", "50%", "--json"});
    CHECK(done.err.empty());
    CHECK(ordered_keys(nlohmann::ordered_json::parse(done.out)) ==
          pipeline_words{"name", "time_unit", "ranks", "microbatches", "stages", "budgets", "least", "none_exists",
                         "made_by", "makespan", "lower_bound", "order_bound", "gap", "peaks", "choices", "orders",
                         "spans", "seconds"});
    auto const answer = done.answer();
    auto const read = repebble::io::parse_pipeline(done.out);
    auto given = repebble::io::read_pipeline(v_pipeline);
    given.orders = read.orders;
    CHECK(read == given);
    repebble::pipeline_schedule schedule{.orders = *read.orders};
    for (auto const& of_stage : answer.at("choices"))
        for (auto const& choice : of_stage) schedule.choices.push_back(choice.get<std::uint32_t>());
    auto const cost = replay_pipeline(read.pipeline, schedule);
    CHECK(answer.at("makespan") == cost.makespan);
    CHECK(answer.at("peaks") == cost.peaks);
    CHECK(answer.at("spans")[1][2][1] == cost.spans[1][2].end);
    CHECK(answer.at("lower_bound") <= answer.at("order_bound"));

    temporary_folder const folder;
    auto const file = (folder / "again.json").string();
    write(file, done.out);
    auto const again = run_pipeline({file, "--budget", "50%", "--json"}).answer();
    CHECK(again.at("made_by") == "given");
    CHECK(again.at("orders") == answer.at("orders"));
    CHECK(again.at("order_bound") == answer.at("order_bound"));
}

TEST_CASE("pipeline: words say makespan, bound, ranks, and what each stage keeps of which microbatches", "[pipeline]") {
    auto const none = run_v({"--budget", "100%", "--order", "1F1B"});  // which needs stages that go round
    CHECK(none.status == 3);
    CHECK(none.out.find("no plan within the budgets was found\n") != std::string::npos);
    auto const v = run_v({"--budget", "100%", "--order", "v_shaped"});
    for (auto const* said : {"v_pipeline: 8 stages on 4 ranks, 16 microbatches", "order: V-shaped",
                             "no schedule is below", "  0 7\n", "    0     600 MiB           0  0-15\n"})
        CHECK(v.out.find(said) != std::string::npos);
}

TEST_CASE("pipeline: budgets of single ranks, and the least that works", "[pipeline]") {
    auto const one = run_v({"--budget", "5GiB,100%,min,5GiB", "--json"}).answer();
    CHECK(one.at("budgets")[0] == 5LL << 30);
    CHECK(one.at("budgets")[2] == one.at("least")[2]);
    CHECK(one.at("peaks")[2] <= one.at("least")[2]);
    auto const none = run_v({"--budget", "5GiB,5GiB,5GiB,1GiB", "--json"});
    CHECK(none.status == 3);
    CHECK(none.answer().at("none_exists") == true);
    CHECK(none.answer().at("made_by").is_null());
    CHECK(run_v({"--budget", "1GiB"}).out.find("none exists; rank 0 needs 1256194048 bytes and has 1073741824") !=
          std::string::npos);
}

TEST_CASE("pipeline: stages that are graph files are planned, with a picture", "[pipeline]") {
    temporary_folder const folder;
    write(folder / "g.json", R"({"nodes": [{"id": 0, "time": 9, "memory": 8}, {"id": 1, "time": 1, "memory": 8},
        {"id": 2, "time": 9, "memory": 8}], "edges": [[0, 1], [1, 2]]})");
    auto const file = (folder / "p.json").string(), svg = (folder / "p.svg").string();
    write(file, R"({"ranks": 2, "microbatches": 4, "stages": [{"graph": "g.json", "count": 2, "transfer": 2}]})");
    auto const done = run_pipeline({file, "--budget", "60%", "--svg", svg, "--json"});
    CHECK(done.status == 0);
    auto const stage = done.answer().at("stages").at(1);
    CHECK(stage.at("forward") == 19);
    CHECK(stage.at("transfer") == 2);
    CHECK(stage.at("choices").at(0).at("kept") == 24);
    CHECK(is_well_formed(text_of(svg)));
    CHECK(text_of(svg).find("forward of stage 1, microbatch 3: ") != std::string::npos);
    write(folder / "g.json", "{}");
    auto const refused = run_pipeline({file, "--budget", "60%"});
    CHECK(refused.status == 2);
    CHECK(refused.says((folder / "g.json").string() + ": "));
}

TEST_CASE("pipeline: bad input is refused in one line that names it", "[pipeline]") {
    temporary_folder const folder;
    auto const file = (folder / "p.json").string();
    auto text = text_of(v_pipeline);
    text.replace(text.find("\"forward\""), 9, "\"onward\"");
    write(file, text);
    auto const orders = (folder / "o.json").string();
    write(orders, R"({"ranks": 1, "microbatches": 1, "stages": [{"forward": 1, "input_gradient": 1,
        "choices": [{"kept": 1}]}], "orders": [[["forward", 0, 0]]]})");
    struct wrong_pipeline {
        pipeline_words arguments, said;
    };
    for (auto const& [arguments, said] : std::vector<wrong_pipeline>{
             {{}, {"file"}},
             {{v_pipeline}, {"--budget"}},
             {{v_pipeline, "--budget", "x"}, {"--budget", "x"}},
             {{v_pipeline, "--budget", "1GiB,2GiB"}, {v_pipeline, "2 budgets for 4 ranks"}},
             {{v_pipeline, "--budget", "50%", "--order", "best"}, {"--order", "best"}},
             {{v_pipeline, "--budget", "50%", "--tries", "few"}, {"--tries", "few"}},
             {{file, "--budget", "50%"}, {file, "stages[0]", "'forward'"}},
             {{orders, "--budget", "50%"}, {orders, "rank 0 lacks input gradient of stage 0"}},
             {{v_pipeline, "--budget", "50%", "--svg", v_pipeline}, {"--svg", "the pipeline"}}}) {
        auto const done = run_pipeline(arguments);
        CAPTURE(done.err);
        CHECK(done.status == 2);
        CHECK(std::ranges::count(done.err, '\n') == 1);
        for (auto const& one : said) CHECK(done.says(one));
    }
}
