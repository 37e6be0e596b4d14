#ifndef REPEBBLE_IMPL_PLANNER_BOUNDS_ONE_CUT_DISJOINT_WINDOWS_IPP
#define REPEBBLE_IMPL_PLANNER_BOUNDS_ONE_CUT_DISJOINT_WINDOWS_IPP

#include <repebble/planner/detail/bounds/one_cut/disjoint_windows.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/planner/detail/bounds/one_cut/cut_search.hpp>
#include <repebble/planner/detail/bounds/one_cut/first_run_cut.hpp>

namespace repebble::inline v0::detail {

/// By value: the position of its last use in the model's order, or where it is made.
[[nodiscard]] inline auto last_uses(planning_model const& m) -> std::vector<std::uint32_t> {
    std::vector<std::uint32_t> last(m.value_count(), 0);
    for (std::uint32_t at = 0; at < m.order.size(); ++at) {
        for (auto const x : m.writes[m.order[at]]) last[x] = at;
        for (auto const x : m.reads[m.order[at]]) last[x] = at;
    }
    return last;
}

/// Sweeps over the order with the live bytes of values that are made from a position on.
class load_sweep {
  public:
    explicit load_sweep(planning_model const& m) : m_(m), made_(m.value_count(), 0), last_(last_uses(m)) {
        for (std::uint32_t at = 0; at < m.order.size(); ++at)
            for (auto const x : m.writes[m.order[at]]) made_[x] = at;
    }
    /// That share of the most bytes that are live before an operation, at least 1.
    [[nodiscard]] auto enough(double share) const -> bytes {
        bytes most = 0;
        from(0, [&](std::uint32_t, bytes live) {
            most = std::max(most, live);
            return false;
        });
        return std::max<bytes>(1, static_cast<bytes>(share * static_cast<double>(most)));
    }
    /// The first position at which a value is made that is live before `end`, or `end`.
    [[nodiscard]] auto first_live(std::uint32_t end) const -> std::uint32_t {
        auto first = end;
        for (value_index x = 0; x < m_.value_count(); ++x)
            if (m_.sizes[x] > 0 && last_[x] >= end) first = std::min(first, made_[x]);
        return first;
    }
    /// Calls f(position, bytes before it) until it returns true.
    template <class F>
    void from(std::uint32_t begin, F&& f) const {
        bytes live = 0;
        for (auto at = begin; at < m_.order.size() && !f(at, live); ++at) {
            auto const v = m_.order[at];
            for (auto const x : m_.reads[v])
                if (last_[x] == at && made_[x] >= begin && made_[x] < at) live -= m_.sizes[x];
            for (auto const x : m_.writes[v])
                if (made_[x] == at && last_[x] > at) live += m_.sizes[x];
        }
    }

  private:
    planning_model const& m_;
    std::vector<std::uint32_t> made_, last_;  // by value: positions
};

REPEBBLE_INLINE auto windows_of_load(planning_model const& m, double share) -> std::vector<cut_window> {
    constexpr auto none = windows_choice::never;
    load_sweep const sweep(m);
    auto const enough = sweep.enough(share);
    std::vector<cut_window> windows;
    for (std::uint32_t begin = 0, end = 0; begin < m.order.size(); begin = end) {
        end = none;
        auto until = none;
        bytes largest = 0;
        sweep.from(begin, [&](std::uint32_t at, bytes live) {
            auto const v = m.order[at];
            if (live >= enough && until == none) until = at + (at - begin);
            if (live >= enough && live + m.operations[v].own > largest && m.required[v]) {
                largest = live + m.operations[v].own;
                end = at;
            }
            return at >= until;
        });
        if (end == none) break;
        windows.push_back({begin, end});
    }
    return windows;
}

REPEBBLE_INLINE auto last_window_of_load(planning_model const& m, double share) -> std::optional<cut_window> {
    load_sweep const sweep(m);
    auto const enough = sweep.enough(share);
    std::optional<std::uint32_t> end;
    sweep.from(0, [&](std::uint32_t at, bytes live) {
        if (live >= enough && m.required[m.order[at]]) end = at;
        return false;
    });
    if (!end) return std::nullopt;
    return cut_window{sweep.first_live(*end), *end};
}

/// The part of a model that the cut of a window sees: the window, and what follows up to the last use of its values,
/// without values that several operations make. The first operation stands for all that ran before the window.
struct window_part {
    planning_model model{};             ///< its order is that of its numbers
    std::vector<value_index> values{};  ///< of the whole model, by value
    std::uint32_t cut = 0;              ///< the operation at the cut

    /// Whether the cuts of both have the same choices.
    [[nodiscard]] auto is_like(window_part const& other) const -> bool {
        return cut == other.cut && model.operations == other.model.operations && model.sizes == other.model.sizes &&
               model.reads == other.model.reads && model.writes == other.model.writes &&
               model.required == other.model.required;
    }
};

/// Cuts parts out of one model, each in O(its operations and values).
class window_cutter {
  public:
    explicit window_cutter(planning_model const& m)
        : m_(m), last_(last_uses(m)), number_(m.value_count(), windows_choice::never) {}

    [[nodiscard]] auto operator()(cut_window const& w) -> window_part {
        window_part part{.cut = w.end - w.begin + 1};
        auto& own = part.model;
        own.effort = m_.effort;
        own.time_once = m_.time_once;
        auto const add = [&](value_index x, bytes size) {
            number_[x] = static_cast<value_index>(part.values.size());
            part.values.push_back(x);
            own.sizes.push_back(size);
        };
        auto end = w.end;  // the last use
        for (auto at = w.begin; at < w.end; ++at)
            for (auto const x : m_.writes[m_.order[at]]) end = std::max(end, last_[x]);
        for (auto at = w.begin; at <= end; ++at)
            for (auto const x : m_.writes[m_.order[at]])
                if (m_.producers[x].size() == 1) add(x, at < w.end ? m_.sizes[x] : 0);
        std::vector<value_index> row;
        for (auto const x : m_.reads[m_.order[w.end]]) {
            if (number_[x] != windows_choice::never) continue;
            row.push_back(static_cast<value_index>(part.values.size()));
            add(x, m_.sizes[x]);
        }
        own.order.push_back(0);
        own.operations.push_back({.recomputable = false});
        own.required.push_back(true);
        own.reads.append(std::span<value_index const>());
        own.writes.append(row);
        auto const append = [&](jagged_array<value_index>& rows, auto const& values) {
            row.clear();
            for (auto const x : values)
                if (number_[x] != windows_choice::never) row.push_back(number_[x]);
            rows.append(row);
        };
        for (auto at = w.begin; at <= end; ++at) {
            auto const v = m_.order[at];
            own.order.push_back(static_cast<operation_index>(own.operations.size()));
            own.operations.push_back(m_.operations[v]);
            own.required.push_back(m_.required[v]);
            append(own.reads, m_.reads[v]);
            append(own.writes, m_.writes[v]);
        }
        own.producers = own.writes.transposed<operation_index>(own.sizes.size());
        own.readers = own.reads.transposed<operation_index>(own.sizes.size());
        for (auto const x : part.values) number_[x] = windows_choice::never;
        return part;
    }

  private:
    planning_model const& m_;
    std::vector<std::uint32_t> last_;  // by value: the position of its last use
    std::vector<value_index> number_;  // by value: in the part at hand
};

REPEBBLE_INLINE auto choose_in_windows(planning_model const& m, bytes budget, std::vector<cut_window> const& windows,
                                       stop_test stop) -> windows_choice {
    windows_choice made{.dropped = std::vector<std::uint32_t>(m.value_count(), windows_choice::never)};
    window_cutter part_of(m);
    window_part last;  // solved; most windows of equal passes are alike
    std::int64_t bound = 0;
    std::optional<checkpoint_choice> best;
    for (auto const& w : windows) {
        if (stop()) {
            made.is_whole = false;
            break;
        }
        auto part = part_of(w);
        if (!part.is_like(last)) {
            first_run_cut const cut(part.model, part.cut);
            cut_search const search(cut, budget, stop);
            bound = search.feasible() ? search.bound() : 0;
            best = search.best();
        }
        made.bound += bound;
        made.is_whole = made.is_whole && best;
        for (operation_index v = 1; best && v < part.cut; ++v)
            for (auto const x : part.model.writes[v])
                if (best->recomputed[v] != 0 && best->kept[x] == 0) made.dropped[part.values[x]] = w.end;
        last = std::move(part);
    }
    return made;
}

}  // namespace repebble::inline v0::detail

#endif
