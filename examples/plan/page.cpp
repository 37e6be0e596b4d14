#include "page.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include <fmt/format.h>

#include <repebble/allocate/arena.hpp>
#include <repebble/page/html_page.hpp>

#include "graph_source.hpp"

namespace plan {

using namespace repebble;

namespace {

/// As the file or the builder calls the node, with the pass.
auto names_of(io::network const& net, training_graph const& training) -> std::vector<std::string> {
    std::vector<std::string> all;
    for (auto const& o : training.origin) {
        auto const& name = net.nodes()[o.vertex].name;
        all.push_back(name.empty() ? fmt::format("node {}", o.vertex) : name);
        if (training.made_by == convention::joint) continue;
        if (o.pass == pass::backward) all.back() += " backward";
        if (o.pass == pass::accumulate) all.back() += fmt::format(" gradient sum {}", o.part);
        if (o.pass == pass::parameter) all.back() += fmt::format(" parameter gradient {}", o.part);
    }
    return all;
}

/// A roofline and a link have them; measured times and files may have any unit.
auto has_nanoseconds(arguments const& asked) -> bool {
    return asked.link || (!names_file(asked.graph) && !asked.times_in);
}

auto kinds_of(io::network const& net, training_graph const& training) -> std::vector<std::string> {
    std::vector<std::string> all;
    bool any = false;
    for (auto const& o : training.origin) {
        auto const& op = net.nodes()[o.vertex].op;
        any = any || !op.empty();
        all.push_back(o.pass == pass::forward ? op : "gradient");
    }
    return any ? all : std::vector<std::string>();
}

/// So many budgets at equal distances, that of the plan, and those a twentieth above and below it.
auto budgets_of(bytes floor, bytes peak, std::optional<bytes> budget) -> std::vector<bytes> {
    constexpr bytes count = 9;
    std::vector<bytes> all;
    for (bytes k = 0; k < count; ++k) all.push_back(floor + (peak - floor) / (count - 1) * k);
    all.back() = peak;
    if (budget && *budget > floor && *budget < peak)
        for (auto const size : {*budget - *budget / 20, *budget, *budget + *budget / 20})
            if (size > floor && size < peak) all.push_back(size);
    std::ranges::sort(all);
    all.erase(std::ranges::unique(all).begin(), all.end());
    return all;
}

auto row_of(subject const& about, outcome const& row) -> report::cost_row {
    report::cost_row r{.name = row.strategy, .fits = row.feasible, .seconds = row.seconds, .remark = row.note};
    if (!row.plan) return r;
    r.peak = row.plan->cost.peak;
    r.overhead = static_cast<double>(row.plan->cost.overhead);
    r.remark = remark(about, row);
    return r;
}

/// Found now where the row has none.
auto arena_of(outcome const& row, training_graph const& training, time_limit const& limit) -> arena {
    if (row.arena) return *row.arena;
    arena_options options;
    if (auto const seconds = limit.left()) options.offsets.limits.seconds = *seconds;
    options.offsets.limits.stop = command_line::interrupted;
    return make_arena(training.flow, row.plan->schedule, options);
}

}  // namespace

auto page_of(io::network const& net, training_graph const& training, arguments const& asked, subject const& about,
             std::vector<outcome> const& rows, outcome const* best, outcome const* beside,
             std::optional<overwrite_table> const& in_place, time_limit const& limit) -> std::string {
    automatic_plan<> shown{.floor = memory_floor_of(training)};
    for (auto const& row : rows)
        if (row.proof) {
            shown.lower_bound = row.proof->lower_bound;
            shown.proven = row.proof->none_exists ||
                           (row.proof->time_least && best != nullptr && best->plan->cost.time == row.plan->cost.time);
        }
    report::page_subject subject{.title = about.graph,
                                 .time_unit = has_nanoseconds(asked) ? "ns" : net.time_unit(),
                                 .budget = about.budget,
                                 .names = names_of(net, training),
                                 .kinds = kinds_of(net, training),
                                 .link = asked.automatic.link};
    for (auto const& o : training.origin) subject.passes.push_back(o.pass == pass::forward ? o.pass : pass::backward);
    for (auto const& row : rows) subject.rows.push_back(row_of(about, row));
    std::vector<report::named_schedule> plans;
    if (best != nullptr)
        for (auto const* row : {best, beside})
            if (row != nullptr) plans.push_back({row->strategy, row->plan->schedule, arena_of(*row, training, limit)});
    if (!asked.replay_in && shown.floor.size < about.keep_all_peak) {
        auto const budgets = budgets_of(shown.floor.size, about.keep_all_peak, about.budget);
        auto const found = sketch_curve(training, asked, budgets, in_place, limit);
        for (std::size_t k = 0; k < found.size(); ++k) {
            auto const& p = found[k];
            if (!p.plan && !p.proven && p.lower_bound == 0) continue;  // no time was left for it
            subject.curve.push_back({budgets[k], {}, p.lower_bound, p.proven});
            if (p.plan) subject.curve.back().overhead = p.plan->cost.overhead;
        }
    }
    if (plans.size() == 2) return report::html_page(training.flow, plans[0], plans[1], subject);
    if (best != nullptr) {
        shown.plan = *best->plan;
        shown.strategy = best->proof ? best->proof->found_by : best->strategy;
        subject.offsets = std::move(plans[0].offsets);
    }
    return report::html_page(training.flow, shown, subject);
}

}  // namespace plan
