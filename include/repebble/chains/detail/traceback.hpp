#ifndef REPEBBLE_CHAINS_DETAIL_TRACEBACK_HPP
#define REPEBBLE_CHAINS_DETAIL_TRACEBACK_HPP

// Traceback: turns the choices of a dynamic program over subchains into the plan, a sequence of runs of stages. Both
// programs use it, over bytes (frontier/pareto_table.hpp) and over slots (slots/slot_table.hpp); each recomputes its
// choices on demand, so that no table of decisions is stored. O(runs) choices, an explicit stack, no recursion.

#include <cstdint>
#include <optional>
#include <vector>

#include <repebble/chains/chain.hpp>
#include <repebble/chains/chain_action.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// A subproblem of the dynamic programs: stages i … l of a chain. Their input is resident and not counted, the gradient
/// of the output of l is resident and counted; end > 0: stage l has run forward already, with tape end - 1, which is
/// counted, too.
struct subchain {
    std::uint32_t i, l, end;
};

/// The first decision of a plan for a subchain. `Memory` counts bytes or slots.
template <class Memory>
struct subchain_choice {
    enum class kind : std::uint8_t {
        save,           ///< stage i records a tape
        keep,           ///< stages i … at - 1 run forward; their output is the checkpoint
        save_and_drop,  ///< stages i … at - 1 run forward, `at` records a tape, its input is discarded
    };
    kind what = kind::save;
    std::uint32_t at = 0;
    std::uint32_t tape = 0;
    Memory kept{};  ///< size of the checkpoint or tape
};

/// The run of stage i with the least peak where only its output is needed; it may record a tape nevertheless.
[[nodiscard]] inline auto leanest_run(chain_sums const& sums, std::uint32_t i) -> chain_action {
    auto const& s = sums.stage(i);
    auto const least = sums.forward_bytes(i);
    if (s.output + s.workspace == least) return {chain_action::kind::forward, i};
    std::uint32_t tape = 0;
    while (sums.recording_bytes(i, tape) != least) ++tape;
    return {chain_action::kind::save, i, tape};
}

/// The plan for a subchain within a memory. choose(subchain, memory) returns the first decision, for it and for every
/// subchain that it splits into.
template <class Memory, class Choose>
[[nodiscard]] auto actions_of(chain_sums const& sums, subchain const& whole, Memory memory, Choose const& choose)
    -> chain_actions {
    using kind = subchain_choice<Memory>::kind;
    using run = chain_action::kind;
    struct task {
        subchain of;
        Memory memory{};
        std::optional<chain_action> emit{};
    };
    chain_actions all;
    std::vector<task> open{{whole, memory}};
    while (!open.empty()) {
        auto const now = open.back();
        open.pop_back();
        if (now.emit) {
            all.push_back(*now.emit);
            continue;
        }
        auto const [i, l, end] = now.of;
        if (i == l && end > 0) {
            all.push_back({run::backward, l, end - 1});
            continue;
        }
        subchain_choice<Memory> const best = choose(now.of, now.memory);
        auto const left = now.memory - best.kept;
        if (best.what != kind::save)
            for (auto k = i; k < best.at; ++k) all.push_back(leanest_run(sums, k));
        switch (best.what) {
            case kind::save:
                all.push_back({run::save, i, best.tape});
                open.push_back({now.of, {}, chain_action{run::backward, i, best.tape}});
                if (i < l) open.push_back({{i + 1, l, end}, left});
                break;
            case kind::keep:
                open.push_back({{i, best.at - 1, 0}, now.memory});
                open.push_back({{best.at, l, end}, left});
                break;
            case kind::save_and_drop:
                all.push_back({run::save, best.at, best.tape});
                open.push_back({{i, best.at, best.tape + 1}, now.memory});
                if (best.at < l) open.push_back({{best.at + 1, l, end}, left});
                break;
        }
    }
    return all;
}

}  // namespace repebble::inline v0::detail

#endif
