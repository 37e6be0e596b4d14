// Plans a training step on several ranks:  pipeline FILE --budget 50%
#include <filesystem>
#include <optional>
#include <utility>

#include <repebble/io/byte_size.hpp>
#include <repebble/io/write_file.hpp>
#include <repebble/pipelines/find_least_ranks.hpp>
#include <repebble/pipelines/plan_pipeline.hpp>

#include "arguments.hpp"
#include "command_line/cpu_seconds.hpp"
#include "command_line/naming.hpp"
#include "command_line/run_program.hpp"
#include "drawing/pipeline_picture.hpp"
#include "network.hpp"
#include "report.hpp"
#include "stages.hpp"

namespace {

using namespace repebble;

auto options_of(io::pipeline_document const& read, pipeline_program::arguments const& asked) -> pipeline_options {
    pipeline_options options{
        .limits = {.seconds = asked.time_limit, .work = asked.tries, .stop = command_line::interrupted},
        .seed = asked.seed,
        .order = asked.order};
    if (options.limits.seconds && read.has_graphs()) *options.limits.seconds /= 2;
    return options;
}

auto plan_of(io::pipeline_document const& read, std::vector<bytes> const& budgets,
             pipeline_program::arguments const& asked) -> pipeline_plan {
    auto const options = options_of(read, asked);
    return read.orders && !asked.order ? plan_pipeline(read.pipeline, *read.orders, budgets, options)
                                       : plan_pipeline(read.pipeline, budgets, options);
}

/// Puts the stages on as few ranks as they fit on.
void place_on_least(pipeline_program::answer& a, pipeline_program::arguments const& asked) {
    auto const budget = io::parse_bytes(asked.budgets.front());
    auto const& least = a.least.emplace(find_least_ranks(a.read.pipeline, budget, options_of(a.read, asked)));
    a.plan = least.plan;
    a.none_exists = least.too_large.has_value();
    if (a.none_exists) return;
    a.read.pipeline = least.placed;
    a.budgets.assign(least.ranks, budget);
}

/// Plans the stages that were read, or the network.
void find_plan(pipeline_program::answer& a, pipeline_program::arguments const& asked) {
    if (asked.by_name) {
        a = pipeline_program::place_network(asked, options_of({}, asked));
        return;
    }
    check_pipeline(a.read.pipeline);  // its graphs are read
    if (asked.least_ranks) return place_on_least(a, asked);
    a.budgets = budgets_of(a.read.pipeline, asked);
    a.plan = plan_of(a.read, a.budgets, asked);
}

auto run(pipeline_program::arguments const& asked) -> int {
    std::optional<command_line::before_results> nothing_yet(asked.file);
    pipeline_program::answer a{.name = std::filesystem::path(asked.file).filename().string()};
    if (!asked.by_name) a.read = pipeline_program::read_stages(asked);
    if (!a.read.name.empty()) a.name = a.read.name;
    nothing_yet.reset();
    command_line::naming(asked.file, [&] { find_plan(a, asked); });
    for (std::size_t r = 0; r < a.budgets.size() && !a.by_plans; ++r)
        a.none_exists = a.none_exists || a.plan.least[r] > a.budgets[r];
    a.seconds = command_line::user_seconds();
    if (command_line::interrupted()) command_line::complain("interrupted; the best plan so far:");
    return command_line::attempt_each(
        a.plan.schedule ? 0 : command_line::nothing_fits,
        [&] {
            if (asked.svg && a.plan.schedule)
                io::write_file(*asked.svg,
                               drawing::pipeline_picture(a.read.pipeline, *a.plan.schedule, a.plan.cost, a.name));
        },
        [&] { asked.json ? print_json(a) : print_words(a); });
}

}  // namespace

int main(int argc, char** argv) {
    return command_line::run_program("pipeline", [&]() -> int {
        pipeline_program::arguments asked;
        if (auto const status = pipeline_program::read_arguments(argc, argv, asked)) return *status;
        return run(asked);
    });
}
