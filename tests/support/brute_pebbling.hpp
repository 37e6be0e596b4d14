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
#include <repebble/graph/training/value_policies.hpp>
#include <repebble/pebbling/schedule.hpp>

#include "support/naive_replay.hpp"

namespace support {

/// Thrown by a search through more states than it may have.
struct too_many_states : std::runtime_error {
    too_many_states() : std::runtime_error("too many states") {}
};

/// Every way through the pebble game on a tiny dataflow, by the naive player's rules: all computations and all discards
/// from every state that can be reached. In place are the steps that the dataflow allows, over storages of the output's
/// size, one output of a step. With policies, only what keeps them: the boundary between the passes is a step of its
/// own.
class brute_pebbling {
  public:
    static constexpr std::size_t any_number = std::size_t{1} << 40U;

    /// The least time within the budget, if any schedule is.
    [[nodiscard]] static auto least_time(repebble::dataflow const& flow, repebble::bytes budget,
                                         std::size_t most_states = any_number,
                                         repebble::policy_marks const* policies = nullptr)
        -> std::optional<std::int64_t> {
        return brute_pebbling(flow, budget, true, most_states, policies).search();
    }
    /// The least peak of all schedules, between the bounds.
    [[nodiscard]] static auto least_peak(repebble::dataflow const& flow, repebble::bytes lower, repebble::bytes upper,
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
    [[nodiscard]] static auto least_peak(repebble::dataflow const& flow) -> repebble::bytes {
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

    struct state {
        naive_player player;
        bool crossed = false;  // the boundary between the passes
    };

    brute_pebbling(repebble::dataflow const& flow, repebble::bytes budget, bool timed, std::size_t most_states,
                   repebble::policy_marks const* policies = nullptr)
        : flow_(flow), budget_(budget), timed_(timed), most_states_(most_states), policies_(policies) {
        for (operation v = 0; v < flow.operation_count(); ++v) {
            // Whether it has run counts for these only.
            bool counts = !flow.recomputable(v) || flow.is_sink(v) || policies != nullptr;
            for (operation w = 0; w < flow.operation_count(); ++w)
                counts = counts || std::ranges::count(flow.control_predecessors(w), v) > 0;
            if (counts) remembered_.push_back(v);
            if (!flow.is_sink(v) && policies == nullptr) continue;
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
        enter({std::move(start), policies_ == nullptr || !policies_->any_recomputed}, 0);
        while (!waiting_.empty()) {
            auto const [so_far, negated] = waiting_.top();
            waiting_.pop();
            auto const now = std::move(states_[static_cast<std::size_t>(-negated)]);
            auto const& player = now.player;
            if (so_far > best_.at(key_of(now))) continue;
            if (now.crossed && !player.finish()) return so_far;
            bool is_blocked = false;
            if (!now.crossed) {
                for (auto const& [x, where] : player.device) is_blocked = is_blocked || policies_->recomputed[x];
                if (!is_blocked) enter({player, true}, so_far);
            }
            for (operation v = 0; v < flow_.operation_count(); ++v) {
                if (!is_allowed(now, v)) continue;
                if (!run(now, {.repetition = player.runs[v], .vertex = v}, so_far)) is_blocked = true;
                for (auto const& o : flow_.allowed_overwrites(v))
                    if (auto const s = in_place(player, v, o))
                        if (!run(now, *s, so_far)) is_blocked = true;
            }
            // Nothing is gained by discarding earlier than something needs it.
            for (auto const& [x, where] : player.device) {
                if (!is_blocked) break;
                auto next = now;
                next.player.device.erase(x);
                enter(std::move(next), so_far);
            }
        }
        return {};
    }

    /// Whether the policies let v run now.
    [[nodiscard]] auto is_allowed(state const& now, operation v) const -> bool {
        if (policies_ == nullptr) return true;
        auto const& player = now.player;
        bool is_new = flow_.writes(v).empty();
        for (value const x : flow_.writes(v)) {
            if (player.computations[x] > 0 && policies_->kept[x]) return false;
            is_new = is_new || player.computations[x] == 0;
        }
        if (!policies_->any_recomputed) return true;
        if (policies_->backward[v]) return now.crossed;
        return !now.crossed || player.runs[v] > 0 || !is_new;
    }
    /// Enters the state after the step. False where a step is not possible that might be after a discard.
    auto run(state const& now, step const& s, std::int64_t so_far) -> bool {
        for (value const x : flow_.reads(s.vertex))
            if (!now.player.device.contains(x)) return true;
        auto next = now;
        if (auto const broken = next.player.play(s)) return broken != repebble::rule::overwrites_last;
        if (next.player.profile.back() > budget_) return false;
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
    void enter(state next, std::int64_t so_far) {
        next.player.profile.clear();
        auto const [at, is_new] = best_.try_emplace(key_of(next), so_far);
        if (!is_new && at->second <= so_far) return;
        if (best_.size() > most_states_) throw too_many_states();
        at->second = so_far;
        waiting_.emplace(so_far, -static_cast<std::int64_t>(states_.size()));
        states_.push_back(std::move(next));
    }
    /// The resident values under storage numbers in order of appearance, and what has run as far as that counts.
    [[nodiscard]] auto key_of(state const& of) const -> key {
        auto const& player = of.player;
        key k{of.crossed ? u'1' : u'0'};
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

    repebble::dataflow const& flow_;
    repebble::bytes budget_;
    bool timed_;
    std::size_t most_states_;
    repebble::policy_marks const* policies_;
    std::vector<operation> remembered_;
    std::vector<value> counted_;
    std::unordered_map<key, std::int64_t> best_;
    std::vector<state> states_;
    // The least time first; of equal ones the last that was reached.
    using entry = std::pair<std::int64_t, std::int64_t>;
    std::priority_queue<entry, std::vector<entry>, std::greater<>> waiting_;
};

}  // namespace support

#endif
