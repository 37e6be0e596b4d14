// Plans a training step on several ranks:  pipeline FILE --budget 50%
#include <filesystem>
#include <optional>
#include <utility>

#include <repebble/io/write_file.hpp>
#include <repebble/pipelines/plan_pipeline.hpp>

#include "arguments.hpp"
#include "command_line/cpu_seconds.hpp"
#include "command_line/naming.hpp"
#include "command_line/run_program.hpp"
#include "drawing/pipeline_picture.hpp"
#include "report.hpp"
#include "stages.hpp"

namespace {

using namespace repebble;

auto plan_of(io::pipeline_document const& read, std::vector<bytes> const& budgets,
             pipeline_program::arguments const& asked) -> pipeline_plan {
    pipeline_options options{
        .limits = {.seconds = asked.time_limit, .work = asked.tries, .stop = command_line::interrupted},
        .seed = asked.seed,
        .order = asked.order};
    if (options.limits.seconds && read.has_graphs()) *options.limits.seconds /= 2;
    return read.orders && !asked.order ? plan_pipeline(read.pipeline, *read.orders, budgets, options)
                                       : plan_pipeline(read.pipeline, budgets, options);
}

auto run(pipeline_program::arguments const& asked) -> int {
    std::optional<command_line::before_results> nothing_yet(asked.file);
    pipeline_program::answer a{.name = std::filesystem::path(asked.file).filename().string(),
                               .read = pipeline_program::read_stages(asked)};
    if (!a.read.name.empty()) a.name = a.read.name;
    nothing_yet.reset();
    a.plan = command_line::naming(asked.file, [&] {
        check_pipeline(a.read.pipeline);  // its graphs are read
        a.budgets = budgets_of(a.read.pipeline, asked);
        return plan_of(a.read, a.budgets, asked);
    });
    for (std::size_t r = 0; r < a.budgets.size(); ++r) a.none_exists = a.none_exists || a.plan.least[r] > a.budgets[r];
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
