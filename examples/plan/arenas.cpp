#include "arenas.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include <repebble/allocate/buffer_walk.hpp>
#include <repebble/allocate/write_in_place.hpp>
#include <repebble/pebbling/replay.hpp>

#include "drawing/offsets_picture.hpp"

namespace plan {

using namespace repebble;

void make_in_place(recompute_plan<>& plan, training_graph const& training, overwrite_table const& rule) {
    plan.schedule = write_in_place(training.flow, plan.schedule, rule);
    plan.cost = replay(training.flow, plan.schedule);
}

namespace {

/// Follows a schedule and its buffers.
class tensor_walk {
  public:
    explicit tensor_walk(training_graph const& training)
        : training_(training),
          walk_(training.flow),
          now_(training.flow.value_count()),
          runs_(training.flow.value_count(), 0) {}

    void play(step<> const& s, std::int64_t at) {
        auto const value = s.what == action::compute ? no_value : flow().writes(s.vertex)[s.output];
        if (s.what == action::compute) return compute(s, at);
        if (s.what == action::offload) read(value, at);
        if (s.what == action::prefetch)
            now_[value] = {add(s.vertex, s.output,
                               value_id(s.vertex, s.output, s.repetition) + fmt::format(" again {}", ++copies_),
                               walk_.prefetch(value), at)};
    }
    [[nodiscard]] auto finish(std::int64_t steps) && -> std::vector<tensor> {
        for (auto const value : flow().results())
            for (auto const t : now_[value]) all_[t].last = steps;
        return std::move(all_);
    }

  private:
    [[nodiscard]] auto flow() const -> dataflow const& { return training_.flow; }
    [[nodiscard]] auto operation_id(operation_index v) const -> std::string {
        auto const& o = training_.origin[v];
        auto const name = fmt::format("{} {}", to_string(o.pass), o.vertex);
        return o.pass == pass::accumulate || o.pass == pass::parameter ? fmt::format("{} part {}", name, o.part) : name;
    }
    [[nodiscard]] auto value_id(operation_index v, std::uint32_t output, std::uint32_t run) const -> std::string {
        return fmt::format("{} output {} run {}", operation_id(v), output, run);
    }

    auto add(operation_index v, std::optional<std::uint32_t> output, std::string id, std::size_t buffer,
             std::int64_t at) -> std::size_t {
        all_.push_back({std::move(id), v, output, buffer, at, at, {at}});
        return all_.size() - 1;
    }
    void read(value_index value, std::int64_t at) {
        for (auto const t : now_[value]) {
            all_[t].last = at;
            all_[t].touched.push_back(at);
        }
    }
    void compute(step<> const& s, std::int64_t at) {
        for (auto const value : flow().reads(s.vertex)) read(value, at);
        auto const workspace = walk_.compute(s).workspace;
        auto const outputs = flow().writes(s.vertex);
        for (std::uint32_t j = 0; j < outputs.size(); ++j) {
            auto const id = value_id(s.vertex, j, runs_[outputs[j]]++);
            now_[outputs[j]].clear();
            for (auto const buffer : walk_.buffers_of(outputs[j])) {
                auto const k = now_[outputs[j]].size();
                auto const part = k > 0 ? fmt::format(" storage {}", k) : "";
                now_[outputs[j]].push_back(add(s.vertex, j, id + part, buffer, at));
            }
        }
        if (workspace != buffer_walk::none)
            add(s.vertex, std::nullopt, fmt::format("{} workspace run {}", operation_id(s.vertex), s.repetition),
                workspace, at);
    }

    training_graph const& training_;
    buffer_walk walk_;
    std::vector<tensor> all_;
    std::vector<std::vector<std::size_t>> now_;  // per value: where its last computation is in `all_`
    std::vector<std::uint32_t> runs_;            // per value
    std::size_t copies_ = 0;
};

}  // namespace

auto tensors_of(schedule<> const& made, training_graph const& training) -> std::vector<tensor> {
    tensor_walk walk(training);
    std::int64_t at = 0;
    for (auto const& s : made.steps) walk.play(s, at++);
    return std::move(walk).finish(at);
}

auto named_buffers(schedule_lifetimes const& of, std::span<tensor const> tensors) -> io::buffer_table {
    io::buffer_table named{.names = std::vector<std::string>(of.buffers.size()), .buffers = of.buffers};
    for (auto const& t : tensors)
        if (named.names[t.buffer].empty()) named.names[t.buffer] = t.id;
    return named;
}

void add_aliases(io::buffer_table& named, std::vector<bytes>& offsets, std::span<tensor const> tensors) {
    for (auto const& t : tensors) {
        if (named.names[t.buffer] == t.id) continue;
        auto const& in = named.buffers[t.buffer];
        auto const end = std::min(t.last + 1, in.lifetime.upper);
        named.buffers.push_back({.lifetime = {t.first, end}, .size = in.size, .alias_of = t.buffer});
        named.names.push_back(t.id);
        offsets.push_back(offsets[t.buffer]);
    }
}

auto picture_of(arena const& a, io::buffer_table const& named, std::string const& title) -> std::string {
    return drawing::offsets_picture(named, a.offsets, {.title = title, .lower_bound = a.lower_bound});
}

}  // namespace plan
