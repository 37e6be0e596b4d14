#include "arenas.hpp"

#include <cstddef>
#include <cstdint>

#include <fmt/format.h>

#include <repebble/allocate/write_in_place.hpp>
#include <repebble/pebbling/replay.hpp>

#include "drawing/offsets_picture.hpp"

namespace plan {

using namespace repebble;

void make_in_place(recompute_plan<>& plan, training_graph const& training, overwrite_table const& rule) {
    plan.schedule = write_in_place(training.flow, plan.schedule, rule);
    plan.cost = replay(training.flow, plan.schedule);
}

auto named_buffers(arena const& a, training_graph const& training) -> io::buffer_table {
    auto const operation = [&](operation_index v) {
        auto const& o = training.origin[v];
        auto const name = fmt::format("{} {}", to_string(o.pass), o.vertex);
        return o.pass == pass::accumulate || o.pass == pass::parameter ? fmt::format("{} part {}", name, o.part) : name;
    };
    io::buffer_table named{.buffers = a.lifetimes.buffers};
    for (auto const& use : a.lifetimes.uses) {
        if (use.what == buffer_use::kind::workspace) {
            named.names.push_back(fmt::format("{} workspace run {}", operation(use.operation), use.repetition));
        } else {
            auto const [v, output] = training.flow.as_output(use.storage.value);
            named.names.push_back(fmt::format("{} output {} run {}", operation(v), output, use.storage.computation));
        }
    }
    return named;
}

auto picture_of(arena const& a, io::buffer_table const& named, std::string const& title) -> std::string {
    return drawing::offsets_picture(named, a.offsets, {.title = title, .lower_bound = a.lower_bound});
}

}  // namespace plan
