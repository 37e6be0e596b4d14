#ifndef REPEBBLE_RECOMPUTE_CUT_SEQUENCE_HPP
#define REPEBBLE_RECOMPUTE_CUT_SEQUENCE_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <repebble/recompute/hold_cut.hpp>
#include <repebble/recompute/just_in_time.hpp>

namespace repebble::detail {

/// How long what runs again is kept.
enum class recomputed : std::uint8_t {
    stays,  ///< until its last use: it runs once more
    goes,   ///< until the next operation of the order that wants it has run: it may run again and again
};

/// The computations by a choice at one moment: what comes before it once, in the model's order; then the rest, and what
/// is to run again just in time. Nothing where that is more than `limit`.  O(n + m), or O(limit).
[[nodiscard]] inline auto cut_sequence(hold_cut const& cut, hold_choice const& choice,
                                       recomputed what = recomputed::stays,
                                       std::size_t limit = std::numeric_limits<std::size_t>::max())
    -> std::optional<std::vector<operation_index>> {
    auto const& m = cut.model();
    std::vector<bool> early(m.operation_count(), false);
    bool passed = false;  // the moment, in the model's order
    for (auto const v : m.order) {
        passed = passed || v == cut.at();
        if (cut.is_after(v)) continue;
        bool held = false;
        for (auto const x : m.writes[v]) held = held || choice.held[x] != 0;
        early[v] = cut.is_before(v) || held || (!passed && choice.again[v] == 0);
    }
    for (auto v = m.order.rbegin(); v != m.order.rend(); ++v)
        if (early[*v])
            for (auto const x : m.reads[*v]) early[m.producers[x].front()] = true;

    just_in_time made(m);
    for (auto const v : m.order)
        if (early[v]) made.run(v);
    for (value_index x = 0; x < m.value_count(); ++x)
        if (made.is_resident(x))
            made.set_resident(x, choice.held[x] != 0 || !m.operations[m.producers[x].front()].recomputable);

    std::vector<operation_index> again;  // ran for the operation at hand
    for (auto const v : m.order) {
        if (made.ran()[v]) continue;
        auto const note = [&](operation_index w) {
            if (choice.again[w] != 0) again.push_back(w);
        };
        if (!made.run_with_inputs(v, limit, note)) return std::nullopt;
        if (what == recomputed::stays) continue;
        for (auto const w : again)
            for (auto const x : m.writes[w]) made.set_resident(x, !m.operations[m.producers[x].front()].recomputable);
        again.clear();
    }
    return made.computations();
}

}  // namespace repebble::detail

#endif
