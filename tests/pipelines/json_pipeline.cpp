// Covers pipelines/json_pipeline.hpp.
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <repebble/io/bad_file.hpp>
#include <repebble/pipelines/json_pipeline.hpp>
#include <repebble/pipelines/pipeline_bounds.hpp>

#include "support/catch.hpp"
#include "support/throws.hpp"

namespace {

using namespace repebble;

/// Two equal stages on two ranks.
constexpr char const* pipeline_text = R"({"name": "two", "ranks": 2, "microbatches": 3, "stages": [
    {"count": 2, "forward": 4, "input_gradient": 5, "weight_gradient": 6, "transfer": 1, "constant": 7,
     "choices": [{"kept": 8, "for_weights": 9}, {"recomputation": 2, "kept": 3, "in_forward": 8, "in_backward": 8, "for_weights": 9}]}]})";

/// The text with the first `what` replaced.
auto pipeline_with(std::string_view what, std::string const& instead) -> std::string {
    std::string text = pipeline_text;
    auto const at = text.find(what);
    REQUIRE(at != std::string::npos);
    return text.replace(at, what.size(), instead);
}
auto refused_pipeline(std::string const& text, std::initializer_list<std::string_view> words) -> bool {
    return support::throws<bad_file>([&] { return io::parse_pipeline(text, "p.json"); }, words) &&
           support::throws<bad_file>([&] { return io::parse_pipeline(text, "p.json"); }, {"p.json: "});
}
auto pipeline_ranks(io::pipeline_document const& read) -> std::vector<std::size_t> {
    std::vector<std::size_t> ranks;
    for (auto const& stage : read.pipeline.stages) ranks.push_back(stage.rank);
    return ranks;
}

}  // namespace

TEST_CASE("A pipeline file has the stages of the library, equal ones counted", "[pipelines]") {
    auto const read = io::parse_pipeline(pipeline_text);
    pipeline_stage stage{.forward = 4, .input_gradient = 5, .weight_gradient = 6, .transfer = 1, .constant = 7};
    stage.choices = {{.kept = 8, .for_weights = 9},
                     {.recomputation = 2, .kept = 3, .in_forward = 8, .in_backward = 8, .for_weights = 9}};
    pipeline expected{.ranks = 2, .microbatches = 3, .stages = {stage, stage}};
    expected.stages[1].rank = 1;
    CHECK(read == io::pipeline_document{.name = "two", .pipeline = expected, .graphs = {{}, {}}});
}

TEST_CASE("Stages of a pipeline file go round the ranks, there and back, or where they say", "[pipelines]") {
    using list = std::vector<std::size_t>;
    CHECK(pipeline_ranks(io::parse_pipeline(pipeline_with("\"count\": 2", "\"count\": 4"))) == list{0, 1, 0, 1});
    CHECK(pipeline_ranks(io::parse_pipeline(
              pipeline_with("\"stages\": [\n    {\"count\": 2", "\"placement\": \"v\", \"stages\": [{\"count\": 4"))) ==
          list{0, 1, 1, 0});
    CHECK(pipeline_ranks(io::parse_pipeline(pipeline_with("\"count\": 2", "\"count\": 2, \"rank\": 1"))) == list{1, 1});
}

TEST_CASE("A pipeline file with a unit has nanoseconds", "[pipelines]") {
    auto const read = io::parse_pipeline(pipeline_with("\"ranks\"", "\"time_unit\": \"us\", \"ranks\""));
    CHECK(read.time_unit == "ns");
    CHECK(read.pipeline.stages[0].forward == 4'000);
    CHECK(read.pipeline.stages[0].choices[1].recomputation == 2'000);
}

TEST_CASE("A pipeline file may name graph files and give an order", "[pipelines]") {
    auto const graph = io::parse_pipeline(
        R"({"ranks": 1, "microbatches": 1, "weight_share": 0.25, "stages": [{"graph": "g.json", "transfer": 3}]})");
    CHECK(graph.graphs == std::vector<std::optional<std::string>>{"g.json"});
    CHECK(graph.has_graphs());
    CHECK(graph.weight_share == 0.25);
    CHECK(graph.pipeline.stages[0].transfer == 3);
    auto const order = io::parse_pipeline(
        R"({"ranks": 1, "microbatches": 1, "stages": [{"forward": 1, "input_gradient": 1, "choices": [{"kept": 1}]}],
            "orders": [[["forward", 0, 0], ["backward", 0, 0]]]})");
    CHECK(order.orders == pass_orders{{{pass_kind::forward, 0, 0}, {pass_kind::backward, 0, 0}}});
}

TEST_CASE("A pipeline file that is none is refused with the place", "[pipelines]") {
    CHECK(refused_pipeline("{", {"not JSON"}));
    CHECK(refused_pipeline("[]", {"the pipeline", "an array"}));
    CHECK(refused_pipeline(pipeline_with("\"ranks\": 2, ", ""), {"the pipeline", "'ranks'"}));
    CHECK(refused_pipeline(pipeline_with("\"ranks\": 2", "\"ranks\": 0"), {"at least one rank"}));
    CHECK(refused_pipeline(pipeline_with("\"ranks\": 2", "\"ranks\": -2"), {"ranks", "-2"}));
    CHECK(refused_pipeline(pipeline_with("\"ranks\"", "\"placement\": \"w\", \"ranks\""), {"placement", "\"w\""}));
    CHECK(refused_pipeline(pipeline_with("\"count\": 2", "\"count\": 0"), {"stages[0]", "count is 0"}));
    CHECK(refused_pipeline(pipeline_with("\"count\": 2", "\"rank\": 2"), {"stage 0", "rank 2 of 2"}));
    CHECK(refused_pipeline(pipeline_with("\"forward\": 4, ", ""), {"stages[0]", "'forward'"}));
    CHECK(refused_pipeline(pipeline_with("\"forward\": 4", "\"forward\": 4.5"), {"stages[0]", "forward", "4.5"}));
    CHECK(refused_pipeline(pipeline_with("\"forward\": 4", "\"forward\": -4"), {"stage 0", "-4"}));
    CHECK(refused_pipeline(pipeline_with("\"transfer\"", "\"transfers\""), {"stages[0]", "'transfer' meant?"}));
    CHECK(refused_pipeline(pipeline_with("\"kept\": 8, ", ""), {"stages[0].choices[0]", "'kept'"}));
    CHECK(refused_pipeline(pipeline_with(", \"for_weights\": 9", ""), {"stages[0].choices[0]", "'for_weights'"}));
    CHECK(refused_pipeline(pipeline_with("\"kept\": 3", "\"kept\": 30"), {"choice 1 of stage 0", "more bytes"}));
    CHECK(
        refused_pipeline(pipeline_with("\"count\": 2", "\"graph\": \"g.json\""), {"stages[0]", "graph", "'forward'"}));
    CHECK(refused_pipeline(pipeline_with("\"ranks\"", "\"weight_share\": 2, \"ranks\""), {"weight_share", "2"}));
    CHECK(refused_pipeline(pipeline_with("\"ranks\"", "\"orders\": [[[\"ahead\", 0, 0]]], \"ranks\""),
                           {"orders[0][0]", "\"ahead\""}));
    CHECK(refused_pipeline(pipeline_with("\"ranks\"", "\"orders\": [[], [[\"forward\", 0]]], \"ranks\""),
                           {"orders[1][0]", "2 elements"}));
}

TEST_CASE("A short pipeline file that means much is refused for its memory", "[pipelines]") {
    for (auto const& text : {pipeline_with("\"count\": 2", "\"count\": 4000000000"),
                             pipeline_with("\"ranks\": 2", "\"ranks\": 4000000000"),
                             pipeline_with("\"microbatches\": 3", "\"microbatches\": 9000000")})
        CHECK(support::throws<limit_reached>([&] { return io::parse_pipeline(text, "p.json"); }, {"p.json: ", "MiB"}));
}

TEST_CASE("All of a budget is what 1F1B takes on its first rank", "[pipelines]") {
    auto const p = io::parse_pipeline(pipeline_text).pipeline;
    CHECK(find_bytes_to_keep_all(p) == std::vector<bytes>{7 + 8 + 9, 7 + 8 + 9});
}
