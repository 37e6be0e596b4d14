#ifndef REPEBBLE_CHAINS_DETAIL_TRACEBACK_HPP
#define REPEBBLE_CHAINS_DETAIL_TRACEBACK_HPP

#include <cstdint>
#include <optional>
#include <vector>

#include <repebble/chains/chain.hpp>
#include <repebble/chains/chain_action.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// Stages i … l of a chain. Their input is there and not counted, the gradient of the output of l is there and counted;
/// end > 0: stage l has run forward already, with saving end - 1, which is counted, too.
struct subchain {
    std::uint32_t i, l, end;
};

/// How a plan for a part begins. `Memory` are bytes, or slots.
template <class Memory>
struct subchain_choice {
    enum class kind : std::uint8_t {
        save,           ///< stage i is saved
        keep,           ///< stages i … at - 1 run forward, and what they make is kept
        save_and_drop,  ///< stages i … at - 1 run forward, and `at` is saved, but not its input
    };
    kind what = kind::save;
    std::uint32_t at = 0;
    std::uint32_t tape = 0;
    Memory held{};  ///< by what is kept
};

/// How stage i runs forward in the fewest bytes where its output only is of use: perhaps it saves more nevertheless.
template <quantity Time>
[[nodiscard]] auto leanest_run(chain_sums<Time> const& sums, std::uint32_t i) -> chain_action {
    auto const& s = sums.stage(i);
    auto const least = sums.forward_bytes(i);
    if (s.output + s.workspace == least) return {chain_action::kind::forward, i};
    std::uint32_t tape = 0;
    while (sums.recording_bytes(i, tape) != least) ++tape;
    return {chain_action::kind::save, i, tape};
}

/// The runs of stages of a plan for a part, of which choose(part, memory) says tape it begins, and tape each part of
/// it.
template <quantity Time, class Memory, class Choose>
[[nodiscard]] auto actions_of(chain_sums<Time> const& sums, subchain const& whole, Memory memory, Choose const& choose)
    -> chain_actions {
    using kind = subchain_choice<Memory>::kind;
    using run = chain_action::kind;
    struct task {
        subchain of;
        Memory memory{};
        std::optional<chain_action> instead{};
    };
    chain_actions all;
    std::vector<task> open{{whole, memory}};
    while (!open.empty()) {
        auto const now = open.back();
        open.pop_back();
        if (now.instead) {
            all.push_back(*now.instead);
            continue;
        }
        auto const [i, l, end] = now.of;
        if (i == l && end > 0) {
            all.push_back({run::backward, l, end - 1});
            continue;
        }
        subchain_choice<Memory> const best = choose(now.of, now.memory);
        auto const left = now.memory - best.held;
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
                open.push_back({{best.at + 1, l, end}, left});
                break;
        }
    }
    return all;
}

}  // namespace repebble::inline v0::detail

#endif
