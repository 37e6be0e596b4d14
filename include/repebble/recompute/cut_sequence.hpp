#ifndef REPEBBLE_RECOMPUTE_CUT_SEQUENCE_HPP
#define REPEBBLE_RECOMPUTE_CUT_SEQUENCE_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <repebble/recompute/hold_cut.hpp>

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
    std::vector<bool> early(m.operation_count(), false), ran(m.operation_count(), false);
    bool passed = false;  // the moment, in the model's order
    for (auto const v : m.order) {
        passed = passed || v == cut.at();
        if (cut.is_after(v)) continue;
        bool held = false;
        for (auto const x : m.writes[v]) held = held || choice.held[x];
        early[v] = cut.is_before(v) || held || (!passed && !choice.again[v]);
    }
    for (auto v = m.order.rbegin(); v != m.order.rend(); ++v)
        if (early[*v])
            for (auto const x : m.reads[*v]) early[m.producers[x].front()] = true;

    std::vector<operation_index> all;
    std::vector<bool> resident(m.value_count(), false);
    auto const run = [&](operation_index v) {
        all.push_back(v);
        ran[v] = true;
        for (auto const x : m.writes[v]) resident[x] = true;
    };
    for (auto const v : m.order)
        if (early[v]) run(v);
    for (value_index x = 0; x < m.value_count(); ++x)
        resident[x] = resident[x] && (choice.held[x] || !m.operations[m.producers[x].front()].recomputable);

    std::vector<operation_index> again;   // ran for the operation at hand
    std::vector<operation_index> wanted;  // each before those that want it
    for (auto const v : m.order) {
        if (ran[v]) continue;
        wanted.push_back(v);
        while (!wanted.empty()) {
            auto const w = wanted.back();
            auto const depth = wanted.size();
            for (auto const x : m.reads[w])
                if (!resident[x]) wanted.push_back(m.producers[x].front());
            if (wanted.size() > depth) continue;
            wanted.pop_back();
            bool there = ran[w] && !m.writes[w].empty();  // wanted twice
            for (auto const x : m.writes[w]) there = there && resident[x];
            if (there) continue;
            run(w);
            if (all.size() > limit) return std::nullopt;
            if (choice.again[w]) again.push_back(w);
        }
        if (what == recomputed::stays) continue;
        for (auto const w : again)
            for (auto const x : m.writes[w]) resident[x] = !m.operations[w].recomputable;
        again.clear();
    }
    return all;
}

}  // namespace repebble::detail

#endif
