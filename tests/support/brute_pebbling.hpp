#ifndef REPEBBLE_TESTS_SUPPORT_BRUTE_PEBBLING_HPP
#define REPEBBLE_TESTS_SUPPORT_BRUTE_PEBBLING_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/pebbling/schedule.hpp>

#include "support/naive_replay.hpp"

namespace support {

/// Every way through the pebble game on a tiny dataflow: all computations and all discards from every state that can be
/// reached, by the naive player's rules. Returns the least time within the budget, or without one the least peak.
class brute_pebbling {
  public:
    [[nodiscard]] static auto least_time(repebble::dataflow<> const& flow, repebble::bytes budget)
        -> std::optional<std::int64_t> {
        return brute_pebbling(flow, budget).search();
    }
    [[nodiscard]] static auto least_peak(repebble::dataflow<> const& flow) -> repebble::bytes {
        return brute_pebbling(flow, std::nullopt).search().value();
    }

  private:
    using key = std::vector<int>;
    using cost = std::int64_t;

    brute_pebbling(repebble::dataflow<> const& flow, std::optional<repebble::bytes> budget)
        : flow_(flow), budget_(budget) {}

    auto search() -> std::optional<std::int64_t> {
        enter(naive_player(flow_), 0);
        while (!waiting_.empty()) {
            auto const [so_far, i] = waiting_.top();
            waiting_.pop();
            if (so_far > best_.at(key_of(players_[i]))) continue;
            if (!players_[i].finish()) return so_far;
            for (repebble::operation_index v = 0; v < flow_.operation_count(); ++v) {
                auto next = players_[i];
                repebble::step<> const s{.repetition = next.runs[v], .vertex = v};
                if (next.play(s)) continue;
                auto const bytes = next.profile.back();
                if (budget_ && bytes > *budget_) continue;
                enter(std::move(next), budget_ ? so_far + flow_.time(v) : std::max(so_far, bytes));
            }
            for (repebble::value_index x = 0; x < flow_.value_count(); ++x) {
                auto next = players_[i];
                if (next.device.erase(x) > 0) enter(std::move(next), so_far);
            }
        }
        return {};
    }
    void enter(naive_player player, cost so_far) {
        player.profile.clear();
        auto const [at, is_new] = best_.try_emplace(key_of(player), so_far);
        if (!is_new && at->second <= so_far) return;
        at->second = so_far;
        waiting_.emplace(so_far, players_.size());
        players_.push_back(std::move(player));
    }
    /// The state of both pools under storage numbers in order of appearance, and the operations that have run.
    [[nodiscard]] auto key_of(naive_player const& player) const -> key {
        key k;
        std::map<int, int> number;
        for (auto const& [x, where] : player.device) {
            k.push_back(-1 - static_cast<int>(x));
            for (auto const& [owner, storage] : where)
                k.push_back(number.try_emplace(storage, static_cast<int>(number.size())).first->second);
        }
        for (auto const r : player.runs) k.push_back(r > 0 ? 1 : 0);
        for (auto const c : player.computations) k.push_back(c > 0 ? 1 : 0);
        return k;
    }

    repebble::dataflow<> const& flow_;
    std::optional<repebble::bytes> budget_;
    std::map<key, cost> best_;
    std::vector<naive_player> players_;
    std::priority_queue<std::pair<cost, std::size_t>, std::vector<std::pair<cost, std::size_t>>, std::greater<>>
        waiting_;
};

}  // namespace support

#endif
