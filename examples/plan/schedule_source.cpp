#include "schedule_source.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <repebble/io/bad_file.hpp>
#include <repebble/pebbling/lanes_clock.hpp>
#include <repebble/pebbling/replay.hpp>

namespace plan {

using namespace repebble;

auto schedule_of(std::string const& file, io::training_schedule const& from, training_graph const& training)
    -> schedule<> {
    std::map<std::tuple<std::uint32_t, pass, std::uint32_t>, operation_index> number;
    for (operation_index v = 0; v < training.origin.size(); ++v) {
        auto const& o = training.origin[v];
        number[{o.vertex, o.pass, o.part}] = v;
    }
    auto const key = [](training_vertex<std::uint32_t> const& v) { return std::tuple{v.vertex, v.pass, v.part}; };
    for (std::size_t i = 0; i < from.steps.size(); ++i) {
        for (auto const& v : {from.steps[i].vertex, from.steps[i].over})
            if (!number.contains(key(v)))
                throw bad_file(file,
                               fmt::format("step {}: vertex {} of the {} pass (part {}), which the training graph "
                                           "does not have",
                                           i, v.vertex, to_string(v.pass), v.part));
    }
    return map_vertices(from, [&](training_vertex<std::uint32_t> const& v) { return number.at(key(v)); });
}

namespace {

/// Throws bad_file, naming the step, where a file says of operands or results what is not so.
void check_reads(std::string const& file, io::schedule_reads const& said, io::schedule_reads const& true_ones) {
    for (std::size_t i = 0; i < said.operands.size(); ++i)
        if (!said.operands[i].empty() && said.operands[i] != true_ones.operands[i])
            throw bad_file(file, fmt::format("step {}: its operands are not those of the graph", i));
    if (!said.results.empty() && said.results != true_ones.results)
        throw bad_file(file, "its results are not those of the graph");
}

}  // namespace

auto convention_named(std::string const& name, std::string const& file) -> convention {
    if (name.empty() || name == inference || name == to_string(convention::joint)) return convention::value_grad;
    for (auto const c : {convention::value_grad, convention::op_backward, convention::executable})
        if (name == to_string(c)) return c;
    throw bad_file(file, "unknown convention " + name);
}

auto judged_from(std::string const& file, io::schedule_document const& given, training_graph const& training,
                 std::optional<host_link> const& via) -> recompute_plan<> {
    recompute_plan<> judged;
    judged.schedule = schedule_of(file, given.schedule, training);
    auto verdict = via ? verify_schedule(training.flow, judged.schedule, {}, lanes_clock(*via))
                       : verify_schedule(training.flow, judged.schedule);
    if (auto const& broken = verdict.broken) {
        auto const& v = training.origin.at(broken->vertex);
        throw bad_file(file, fmt::format("{}; in terms of the graph it is the {} pass of vertex {}", broken->message,
                                         to_string(v.pass), v.vertex));
    }
    judged.cost = std::move(verdict.result);
    check_reads(file, given.reads, io::find_reads(judged.schedule, training));
    return judged;
}

}  // namespace plan
