#ifndef REPEBBLE_TESTS_CHAINS_RANDOM_CHAIN_HPP
#define REPEBBLE_TESTS_CHAINS_RANDOM_CHAIN_HPP

// Random chains, and an exhaustive search for the least time of persistent schedules of small ones, by Dijkstra's
// algorithm over states of memory. The tests of all chain solvers use them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

#include <repebble/chains/chain.hpp>
#include <repebble/graph/quantity.hpp>

#include "support/generators.hpp"

namespace support {

/// Parameters of random chains.
struct chain_kinds {
    std::size_t stages = 5;
    std::size_t most_tapes = 1;
    std::int64_t most_size = 6;
    bool workspaces = true;
    bool negative = false;        ///< whether workspaces may be negative
    bool alike = false;           ///< whether some stages are equal
    bool same_gradients = false;  ///< whether gradients are as large as outputs
};

[[nodiscard]] inline auto random_chain(split_mix& random, chain_kinds const& kinds) -> repebble::chain {
    repebble::chain of{.input = between(random, 0, kinds.most_size), .input_gradient = between(random, 0, 3)};
    auto const workspace = [&](repebble::bytes resident) {
        if (!kinds.workspaces || chance(random, 50)) return repebble::bytes{0};
        return between(random, kinds.negative ? -resident : 0, 4);
    };
    while (of.stages.size() < kinds.stages) {
        if (kinds.alike && !of.stages.empty() && chance(random, 60)) {
            of.stages.push_back(pick(random, of.stages));
            continue;
        }
        auto& s = of.stages.emplace_back();
        bool const last = of.stages.size() == kinds.stages;
        s.forward_time = between(random, 0, 9);
        s.backward_time = between(random, 0, 9);
        s.output = last && chance(random, 70) ? 0 : between(random, 0, kinds.most_size);
        s.gradient = kinds.same_gradients || chance(random, 70) ? s.output : between(random, 0, kinds.most_size);
        s.workspace = workspace(s.output);
        for (auto left = 1 + below(random, kinds.most_tapes); left > 0; --left) {
            auto& tape = s.tapes.emplace_back();
            tape.saved = s.output + (chance(random, 30) ? 0 : between(random, 0, kinds.most_size));
            tape.forward_workspace = workspace(tape.saved - s.output);
            tape.backward_workspace = workspace(tape.saved);
            if (kinds.most_tapes > 1) tape.extra_time = between(random, 0, 4);
        }
    }
    return of;
}

/// The order in which stages may run forward.
enum class forward_runs : std::uint8_t {
    nested,  ///< not before the last checkpoint of the stages that have not run backward
    any,
};

/// Every persistent schedule of a small chain, by Dijkstra's algorithm over the resident values. Knows no subchains,
/// only which runs are legal, and that a checkpoint is kept until its last reader: a value until the stage that reads
/// it has run backward, a tape until its stage has.
class brute_persistent {
  public:
    /// Nothing where no schedule stays within the budget.
    [[nodiscard]] static auto least_time(repebble::chain const& of, repebble::bytes budget, bool drop_saved_inputs,
                                         forward_runs order = forward_runs::nested) -> std::optional<std::int64_t> {
        return brute_persistent(of, budget, drop_saved_inputs, order).search();
    }

  private:
    static constexpr int nothing = 0, alone = 1, saved = 2;  // saved + tape
    static constexpr std::size_t no_current = 0;             // the input is always resident

    struct state {
        std::size_t left = 0;  // stages that have not run backward: the gradient of their output is resident
        std::size_t current = no_current;  // a value that is resident, but no checkpoint
        std::vector<int> kept{};           // by value

        friend auto operator<=>(state const&, state const&) = default;
    };

    brute_persistent(repebble::chain const& of, repebble::bytes budget, bool drop, forward_runs order)
        : of_(of), budget_(budget), drop_(drop), order_(order) {}

    auto search() -> std::optional<std::int64_t> {
        auto const n = of_.stages.size();
        enter({n, no_current, std::vector<int>(n + 1, nothing)}, 0);
        while (!waiting_.empty()) {
            auto const [minus, now] = waiting_.top();
            waiting_.pop();
            if (best_.at(now) < -minus) continue;
            if (now.left == 0) return -minus;
            leave(now, -minus);
        }
        return std::nullopt;
    }
    void leave(state const& now, std::int64_t so_far) {
        for (std::size_t p = 0; p < now.left; ++p) {
            bool const kept = p == 0 || now.kept[p] != nothing;
            if (!kept && now.current != p) continue;
            auto const& s = of_.stages[p];
            auto const resident = always_resident(now) + (kept ? 0 : size(p));
            if (p + 1 == now.left && now.kept[p + 1] >= saved) reverse(now, so_far, resident);
            if (order_ == forward_runs::nested && p < highest(now)) continue;
            auto running = resident + s.output + s.workspace;
            for (auto const& tape : s.tapes)
                running = std::min(running, resident + tape.saved + tape.forward_workspace);
            if (running <= budget_) {
                auto next = now;
                next.current = p + 1;
                enter(next, so_far + s.forward_time);
                if (now.kept[p + 1] == nothing) {
                    next.current = no_current;
                    next.kept[p + 1] = alone;
                    enter(next, so_far + s.forward_time);
                }
            }
            for (std::size_t tape = 0; tape < s.tapes.size(); ++tape) {
                if ((!kept && !drop_) || now.kept[p + 1] != nothing) continue;
                if (resident + s.tapes[tape].saved + s.tapes[tape].forward_workspace > budget_) continue;
                auto next = now;
                next.kept[p + 1] = saved + static_cast<int>(tape);
                next.current = no_current;
                enter(next, so_far + s.forward_time);
                if (kept) continue;
                next.current = p;
                enter(next, so_far + s.forward_time);
            }
        }
    }
    /// The last checkpoint, but for the tape of the stage that runs backward next.
    [[nodiscard]] static auto highest(state const& now) -> std::size_t {
        auto i = now.left - 1;
        while (i > 0 && now.kept[i] == nothing) --i;
        return i;
    }
    void reverse(state const& now, std::int64_t so_far, repebble::bytes resident) {
        auto const i = now.left - 1;
        auto const& s = of_.stages[i];
        auto const& tape = s.tapes[static_cast<std::size_t>(now.kept[i + 1] - saved)];
        if (resident + gradient(i) + tape.backward_workspace > budget_) return;
        auto next = now;
        next.left = i;
        next.current = no_current;
        next.kept[i + 1] = nothing;
        if (next.kept[i] == alone) next.kept[i] = nothing;
        enter(next, so_far + s.backward_time + tape.extra_time);
    }
    void enter(state const& s, std::int64_t time) {
        auto const [at, is_new] = best_.try_emplace(s, time);
        if (!is_new && at->second <= time) return;
        at->second = time;
        waiting_.emplace(-time, s);
    }
    [[nodiscard]] auto size(std::size_t i) const -> repebble::bytes {
        return i == 0 ? of_.input : of_.stages[i - 1].output;
    }
    [[nodiscard]] auto gradient(std::size_t i) const -> repebble::bytes {
        return i == 0 ? of_.input_gradient : of_.stages[i - 1].gradient;
    }
    [[nodiscard]] auto always_resident(state const& s) const -> repebble::bytes {
        auto sum = of_.input + gradient(s.left);
        for (std::size_t i = 1; i < s.kept.size(); ++i)
            if (s.kept[i] == alone)
                sum += size(i);
            else if (s.kept[i] >= saved)
                sum += of_.stages[i - 1].tapes[static_cast<std::size_t>(s.kept[i] - saved)].saved;
        return sum;
    }

    repebble::chain const& of_;
    repebble::bytes budget_;
    bool drop_;
    forward_runs order_;
    std::map<state, std::int64_t> best_;
    std::priority_queue<std::pair<std::int64_t, state>> waiting_;
};

}  // namespace support

#endif
