#ifndef REPEBBLE_TESTS_SUPPORT_BRUTE_PEBBLING_HPP
#define REPEBBLE_TESTS_SUPPORT_BRUTE_PEBBLING_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/schedule.hpp>

#include "support/naive_replay.hpp"

namespace support {

/// Thrown by a search through more states than it may have.
struct too_many_states : std::runtime_error {
    too_many_states() : std::runtime_error("too many states") {}
};

/// Every way through the pebble game on a tiny dataflow, by the naive player's rules: all computations and all discards
/// from every state that can be reached. In place are the steps that the dataflow allows, over storages of the output's
/// size, one output of a step.
class brute_pebbling {
  public:
    static constexpr std::size_t any_number = std::size_t{1} << 40U;

    /// The least time within the budget, if any schedule is.
    [[nodiscard]] static auto least_time(repebble::dataflow<> const& flow, repebble::bytes budget,
                                         std::size_t most_states = any_number) -> std::optional<std::int64_t> {
        return brute_pebbling(flow, budget, true, most_states).search();
    }
    /// The least peak of all schedules, between the bounds.
    [[nodiscard]] static auto least_peak(repebble::dataflow<> const& flow, repebble::bytes lower, repebble::bytes upper,
                                         std::size_t most_states = any_number) -> repebble::bytes {
        while (lower < upper) {
            auto const middle = lower + (upper - lower) / 2;
            if (brute_pebbling(flow, middle, false, most_states).search())
                upper = middle;
            else
                lower = middle + 1;
        }
        return upper;
    }
    [[nodiscard]] static auto least_peak(repebble::dataflow<> const& flow) -> repebble::bytes {
        repebble::bytes all = 0;
        for (repebble::value_index x = 0; x < flow.value_count(); ++x) all += 2 * flow.size(x);
        for (repebble::operation_index v = 0; v < flow.operation_count(); ++v) all += flow.workspace(v);
        return least_peak(flow, 0, all);
    }

  private:
    using operation = repebble::operation_index;
    using value = repebble::value_index;
    using step = repebble::step<>;
    using key = std::u16string;

    brute_pebbling(repebble::dataflow<> const& flow, repebble::bytes budget, bool timed, std::size_t most_states)
        : flow_(flow), budget_(budget), timed_(timed), most_states_(most_states) {
        for (operation v = 0; v < flow.operation_count(); ++v) {
            // Whether it has run counts for these only.
            bool counts = !flow.recomputable(v) || flow.is_sink(v);
            for (operation w = 0; w < flow.operation_count(); ++w)
                counts = counts || std::ranges::count(flow.control_predecessors(w), v) > 0;
            if (counts) remembered_.push_back(v);
            if (!flow.is_sink(v)) continue;
            for (value const x : flow.writes(v))
                if (flow.producers(x).size() > 1) counted_.push_back(x);
        }
    }

    auto search() -> std::optional<std::int64_t> {
        naive_player start(flow_);
        for (operation const v : flow_.order())
            if (flow_.is_input(v)) static_cast<void>(start.play({.vertex = v}));
        for (auto const b : start.profile)
            if (b > budget_) return {};
        enter(std::move(start), 0);
        while (!waiting_.empty()) {
            auto const [so_far, negated] = waiting_.top();
            waiting_.pop();
            auto const player = std::move(players_[static_cast<std::size_t>(-negated)]);
            if (so_far > best_.at(key_of(player))) continue;
            if (!player.finish()) return so_far;
            bool is_blocked = false;
            for (operation v = 0; v < flow_.operation_count(); ++v) {
                if (!run(player, {.repetition = player.runs[v], .vertex = v}, so_far)) is_blocked = true;
                for (auto const& o : flow_.allowed_overwrites(v))
                    if (auto const s = in_place(player, v, o))
                        if (!run(player, *s, so_far)) is_blocked = true;
            }
            // Nothing is gained by discarding earlier than something needs it.
            for (auto const& [x, where] : player.device) {
                if (!is_blocked) break;
                auto next = player;
                next.device.erase(x);
                enter(std::move(next), so_far);
            }
        }
        return {};
    }

    /// Enters the state after the step. False where a step is not possible that might be after a discard.
    auto run(naive_player const& player, step const& s, std::int64_t so_far) -> bool {
        for (value const x : flow_.reads(s.vertex))
            if (!player.device.contains(x)) return true;
        auto next = player;
        if (auto const broken = next.play(s)) return broken != repebble::rule::overwrites_last;
        if (next.profile.back() > budget_) return false;
        enter(std::move(next), timed_ ? so_far + flow_.time(s.vertex) : 0);
        return true;
    }
    /// The step that the dataflow allows, if its sizes are equal.
    [[nodiscard]] auto in_place(naive_player const& player, operation v, repebble::overwrite const& o) const
        -> std::optional<step> {
        auto const output = flow_.writes(v)[o.output];
        if (flow_.size(output) == 0 || !player.device.contains(o.over)) return {};
        if (player.storage_bytes(o.over) != flow_.size(output)) return {};
        auto const over = flow_.as_output(o.over);
        return step{.in_place = true,
                    .output = o.output,
                    .repetition = player.runs[v],
                    .vertex = v,
                    .over_output = over.output,
                    .over = over.vertex};
    }
    void enter(naive_player player, std::int64_t so_far) {
        player.profile.clear();
        auto const [at, is_new] = best_.try_emplace(key_of(player), so_far);
        if (!is_new && at->second <= so_far) return;
        if (best_.size() > most_states_) throw too_many_states();
        at->second = so_far;
        waiting_.emplace(so_far, -static_cast<std::int64_t>(players_.size()));
        players_.push_back(std::move(player));
    }
    /// The resident values under storage numbers in order of appearance, and what has run as far as that counts.
    [[nodiscard]] auto key_of(naive_player const& player) const -> key {
        key k;
        std::vector<naive_player::storage> met;
        for (auto const& [x, where] : player.device) {
            k.push_back(static_cast<char16_t>(-1 - static_cast<int>(x)));
            for (auto const& [owner, storage] : where) {
                auto const at = std::ranges::find(met, storage);
                k.push_back(static_cast<char16_t>(at - met.begin()));
                if (at != met.end()) continue;
                met.push_back(storage);
                k.push_back(static_cast<char16_t>(player.size_of(storage)));
            }
        }
        for (operation const v : remembered_) k.push_back(player.runs[v] > 0 ? u'1' : u'0');
        for (value const x : counted_) k.push_back(player.computations[x] > 0 ? u'1' : u'0');
        return k;
    }

    repebble::dataflow<> const& flow_;
    repebble::bytes budget_;
    bool timed_;
    std::size_t most_states_;
    std::vector<operation> remembered_;
    std::vector<value> counted_;
    std::unordered_map<key, std::int64_t> best_;
    std::vector<naive_player> players_;
    // The least time first; of equal ones the last that was reached.
    using entry = std::pair<std::int64_t, std::int64_t>;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> waiting_;
};

}  // namespace support

#endif
