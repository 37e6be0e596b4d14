#ifndef REPEBBLE_TESTS_SUPPORT_RANDOM_SCHEDULES_HPP
#define REPEBBLE_TESTS_SUPPORT_RANDOM_SCHEDULES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/schedule.hpp>

#include "support/generators.hpp"
#include "support/naive_replay.hpp"

namespace support {

/// Plays the inputs and makes random steps that the naive player allows (computations, also in place, discards, copies
/// between pools), then computes the missing sinks and results. Most of these schedules are legal as a whole; in the
/// others a value is lost that cannot be computed again.
class schedule_walk {
  public:
    schedule_walk(split_mix& random, repebble::dataflow const& flow) : random_(random), flow_(flow), player_(flow) {}

    [[nodiscard]] auto make(std::size_t tries) && -> repebble::schedule<> {
        if (flow_.operation_count() == 0) return {};
        for (auto const v : flow_.order())
            if (flow_.is_input(v)) try_step(compute(v));
        for (; tries > 0; --tries) try_step(any_step());
        for (auto const v : flow_.order())
            if (flow_.is_sink(v) && player_.runs[v] == 0) run(v);
        for (auto const x : flow_.results()) fetch(x);
        return std::move(plan_);
    }

  private:
    using value = repebble::value_index;
    using operation = repebble::operation_index;
    using step = repebble::step<>;
    using action = repebble::action;

    auto try_step(step const& s) -> bool {
        auto after = player_;
        if (after.play(s)) return false;
        player_ = std::move(after);
        plan_.steps.push_back(s);
        return true;
    }

    [[nodiscard]] auto any_step() -> step {
        auto const kind = below(random_, 100);
        if (kind < 40 || flow_.value_count() == 0) return compute(any_operation());
        auto const x = static_cast<value>(below(random_, flow_.value_count()));
        if (kind < 60) {
            auto s = compute(any_operation());
            if (flow_.writes(s.vertex).empty()) return s;
            s.in_place = true;
            s.output = static_cast<std::uint32_t>(below(random_, flow_.writes(s.vertex).size()));
            std::tie(s.over, s.over_output) = name(x);
            return s;
        }
        if (kind < 75) return on_value(action::discard, x, repebble::pool::device);
        if (kind < 80) return on_value(action::discard, x, repebble::pool::host);
        if (kind < 90) return on_value(action::offload, x, repebble::pool::device);
        return on_value(action::prefetch, x, repebble::pool::host);
    }

    /// Runs v after what it needs; gives up silently where a value is lost for good.
    void run(operation v) {
        for (auto const u : flow_.control_predecessors(v))
            if (player_.runs[u] == 0) run(u);
        for (auto const x : flow_.reads(v)) fetch(x);
        // What else lies in a storage that v mutates must be gone.
        for (auto const& m : flow_.mutations(v))
            for (value x = 0; x < flow_.value_count(); ++x)
                if (std::ranges::count(flow_.reads(v), x) == 0 && share_owner(x, m.over))
                    try_step(on_value(action::discard, x, repebble::pool::device));
        try_step(compute(v));
    }
    /// Makes the value resident, if that is possible; not for itself, in a circle of producers.
    void fetch(value x) {
        if (player_.device.contains(x) || try_step(on_value(action::prefetch, x, repebble::pool::host))) return;
        if (!fetching_.insert(x).second) return;
        for (auto const u : flow_.producers(x)) {
            if (player_.runs[u] > 0 && !flow_.recomputable(u)) continue;
            run(u);
            break;
        }
        fetching_.erase(x);
    }
    [[nodiscard]] auto share_owner(value x, value y) const -> bool {
        return std::ranges::find_first_of(flow_.owners(x), flow_.owners(y)) != flow_.owners(x).end();
    }

    [[nodiscard]] auto any_operation() -> operation {
        return static_cast<operation>(below(random_, flow_.operation_count()));
    }
    [[nodiscard]] auto compute(operation v) const -> step {
        return {.what = action::compute, .repetition = player_.runs[v], .vertex = v};
    }
    [[nodiscard]] auto on_value(action what, value x, repebble::pool from) -> step {
        auto const [u, j] = name(x);
        auto const count = player_.computations[x];
        return {.what = what, .from = from, .output = j, .repetition = count == 0 ? 0 : count - 1, .vertex = u};
    }
    /// The value as an output of any one of its producers.
    [[nodiscard]] auto name(value x) -> std::pair<operation, std::uint32_t> {
        auto const producers = flow_.producers(x);
        auto const u = producers[below(random_, producers.size())];
        std::uint32_t j = 0;
        while (flow_.writes(u)[j] != x) ++j;
        return {u, j};
    }

    split_mix& random_;
    repebble::dataflow const& flow_;
    naive_player player_;
    std::set<value> fetching_;
    repebble::schedule<> plan_;
};

[[nodiscard]] inline auto random_schedule(split_mix& random, repebble::dataflow const& flow, std::size_t tries)
    -> repebble::schedule<> {
    return schedule_walk(random, flow).make(tries);
}

/// The schedule with one to three steps dropped, doubled, exchanged, or changed in one place.
[[nodiscard]] inline auto mutated(split_mix& random, repebble::schedule<> plan, std::size_t operations)
    -> repebble::schedule<> {
    auto& steps = plan.steps;
    for (auto times = 1 + below(random, 3); times > 0 && !steps.empty(); --times) {
        auto const at = below(random, steps.size());
        auto& s = steps[at];
        switch (below(random, 9)) {
            case 0:
                steps.erase(steps.begin() + static_cast<std::ptrdiff_t>(at));
                break;
            case 1:
                steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(at), s);
                break;
            case 2:
                std::swap(s, steps[below(random, steps.size())]);
                break;
            case 3:
                s.vertex = static_cast<repebble::operation_index>(below(random, operations + 1));
                break;
            case 4:
                s.output = static_cast<std::uint32_t>(below(random, 4));
                break;
            case 5:
                s.repetition = static_cast<std::uint32_t>(below(random, 3));
                break;
            case 6:
                s.what = static_cast<repebble::action>(below(random, 4));
                break;
            case 7:
                s.from = s.from == repebble::pool::device ? repebble::pool::host : repebble::pool::device;
                break;
            default:
                s.in_place = !s.in_place;
                s.over = static_cast<repebble::operation_index>(below(random, operations + 1));
                s.over_output = static_cast<std::uint32_t>(below(random, 2));
        }
    }
    return plan;
}

}  // namespace support

#endif
