#include "report.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <repebble/io/byte_size.hpp>

#include "command_line/one_line.hpp"
#include "command_line/print_json.hpp"

namespace pipeline_program {

using namespace repebble;
using json = nlohmann::ordered_json;

namespace {

/// As in a pipeline file.
auto json_of(pipeline_stage const& s) -> json {
    auto choices = json::array();
    for (auto const& c : s.choices)
        choices.push_back({{"recomputation", c.recomputation},
                           {"kept", c.kept},
                           {"in_forward", c.in_forward},
                           {"in_backward", c.in_backward},
                           {"for_weights", c.for_weights}});
    return {{"rank", s.rank},
            {"forward", s.forward},
            {"input_gradient", s.input_gradient},
            {"weight_gradient", s.weight_gradient},
            {"transfer", s.transfer},
            {"constant", s.constant},
            {"choices", std::move(choices)}};
}
auto json_of(pass_orders const& orders) -> json {
    auto all = json::array();
    for (auto const& order : orders) {
        auto& list = all.emplace_back(json::array());
        for (auto const& pass : order) list.push_back({field_of(pass.kind), pass.stage, pass.microbatch});
    }
    return all;
}
auto json_of(std::vector<std::vector<step_span>> const& spans) -> json {
    auto all = json::array();
    for (auto const& of_rank : spans) {
        auto& list = all.emplace_back(json::array());
        for (auto const& span : of_rank) list.push_back({span.begin, span.end});
    }
    return all;
}
/// The choices of a stage, by microbatch.
auto choices_of(answer const& a, std::size_t stage) -> std::span<std::uint32_t const> {
    auto const m = a.read.pipeline.microbatches;
    return std::span(a.plan.schedule->choices).subspan(stage * m, m);
}
void add_plan(json& all, answer const& a) {
    auto const& plan = a.plan;
    all["makespan"] = plan.cost.makespan;
    all["lower_bound"] = plan.lower_bound;
    all["order_bound"] = plan.order_bound;
    all["gap"] = plan.gap();
    all["peaks"] = plan.cost.peaks;
    auto choices = json::array();
    for (std::size_t s = 0; s < a.read.pipeline.stages.size(); ++s) choices.push_back(choices_of(a, s));
    all["choices"] = std::move(choices);
    all["orders"] = json_of(plan.schedule->orders);
    all["spans"] = json_of(plan.cost.spans);
}

auto percent(std::int64_t part, std::int64_t whole) -> std::string {
    return whole == 0 ? "-" : fmt::format("{:.1f}%", 100 * static_cast<double>(part) / static_cast<double>(whole));
}

void print_ranks(answer const& a) {
    auto const& p = a.read.pipeline;
    fmt::print("\n{:>4}  {:>10}  {:>10}  {:>6}  {:>10}  {:>6}  {}\n", "rank", "budget", "peak", "", "least", "busy",
               "stages");
    for (std::size_t r = 0; r < p.ranks; ++r) {
        std::string stages;
        for (std::size_t s = 0; s < p.stages.size(); ++s)
            if (p.stages[s].rank == r) stages += fmt::format("{}{}", stages.empty() ? "" : " ", s);
        std::int64_t busy = 0;
        for (auto const& span : a.plan.cost.spans[r]) busy += span.end - span.begin;
        auto const peak = a.plan.cost.peaks[r];
        fmt::print("{:>4}  {:>10}  {:>10}  {:>6}  {:>10}  {:>6}  {}\n", r, io::format_bytes(a.budgets[r]),
                   io::format_bytes(peak), percent(peak, a.budgets[r]), io::format_bytes(a.plan.least[r]),
                   percent(busy, a.plan.cost.makespan), stages);
    }
}

/// Equal choices of microbatches in a row as "0-11".
auto runs_of(std::span<std::uint32_t const> choices, std::uint32_t choice) -> std::string {
    std::string runs;
    for (std::size_t k = 0; k < choices.size(); ++k) {
        if (choices[k] != choice) continue;
        auto const begin = k;
        while (k + 1 < choices.size() && choices[k + 1] == choice) ++k;
        runs += fmt::format("{}{}", runs.empty() ? "" : " ", begin);
        if (k > begin) runs += fmt::format("-{}", k);
    }
    return runs;
}

void print_stages(answer const& a) {
    fmt::print("\n{:>5}  {:>10}  {:>10}  {}\n", "stage", "keeps", "again", "of microbatches");
    for (std::size_t s = 0; s < a.read.pipeline.stages.size(); ++s) {
        auto const& choices = a.read.pipeline.stages[s].choices;
        for (std::uint32_t c = 0; c < choices.size(); ++c)
            if (auto const runs = runs_of(choices_of(a, s), c); !runs.empty())
                fmt::print("{:>5}  {:>10}  {:>10}  {}\n", s, io::format_bytes(choices[c].kept),
                           choices[c].recomputation, runs);
    }
}

/// The least ranks, and what proves them.
void print_least_ranks(least_ranks const& least, bool by_plans) {
    if (least.too_large)
        return fmt::print("{} {} does not fit on a rank\n", by_plans ? "part" : "stage", *least.too_large);
    if (by_plans)
        return fmt::print("{}; on fewer than {} in a row none exists\n",
                          least.ranks == 0
                              ? "no plan was found"
                              : fmt::format("a plan on {} rank{}", least.ranks, least.ranks == 1 ? "" : "s"),
                          least.lower_bound);
    fmt::print("in a row the stages fit on {} rank{}, on no fewer; wherever they lie they need at least {}\n",
               least.ranks, least.ranks == 1 ? "" : "s", least.lower_bound);
}

void print_no_plan(answer const& a) {
    fmt::print("no plan within the budgets{}", a.none_exists ? ": none exists" : " was found");
    for (std::size_t r = 0; r < a.budgets.size(); ++r)
        if (a.plan.least[r] > a.budgets[r])
            fmt::print("; rank {} {} {} bytes and has {}", r, a.none_exists ? "needs" : "takes", a.plan.least[r],
                       a.budgets[r]);
    fmt::print("\n");
}

}  // namespace

void print_json(answer const& a) {
    auto const& p = a.read.pipeline;
    json all{{"name", a.name}};
    if (!a.read.time_unit.empty()) all["time_unit"] = a.read.time_unit;
    all["ranks"] = p.ranks;
    all["microbatches"] = p.microbatches;
    auto& stages = all["stages"] = json::array();
    for (auto const& stage : p.stages) stages.push_back(json_of(stage));
    all["budgets"] = a.budgets;
    all["least"] = a.plan.least;
    all["none_exists"] = a.none_exists;
    all["made_by"] = a.plan.schedule ? json(to_string(a.plan.made_by)) : json();
    if (a.plan.schedule) add_plan(all, a);
    if (a.least)
        all["least_ranks"] = {{"ranks", a.least->ranks},
                              {"lower_bound", a.least->lower_bound},
                              {"too_large", a.least->too_large ? json(*a.least->too_large) : json()}};
    all["seconds"] = a.seconds;
    command_line::print_json(all);
}

void print_words(answer const& a) {
    auto const& p = a.read.pipeline;
    fmt::print("{}: {} stages on {} ranks, {} microbatches, {:.3f} CPU s\n", command_line::one_line(a.name),
               p.stages.size(), p.ranks, p.microbatches, a.seconds);
    if (a.least) print_least_ranks(*a.least, a.by_plans);
    if (!a.plan.schedule) return print_no_plan(a);
    fmt::print("makespan {}{}, at most {:.2f}% above the least; order: {}\n", a.plan.cost.makespan,
               a.read.time_unit.empty() ? "" : " ns", 100 * a.plan.gap(), to_string(a.plan.made_by));
    fmt::print("no schedule is below {}, none of this order below {}\n", a.plan.lower_bound, a.plan.order_bound);
    print_ranks(a);
    print_stages(a);
}

}  // namespace pipeline_program
