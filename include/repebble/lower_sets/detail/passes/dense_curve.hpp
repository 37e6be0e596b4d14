#ifndef REPEBBLE_LOWER_SETS_DETAIL_PASSES_DENSE_CURVE_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_PASSES_DENSE_CURVE_HPP

// The backward pass of the lower-set dynamic program by dense tables: for each lower set the least bytes by overhead in
// whole time units. The engine of solve_segments.hpp for exact curves of problems whose times sum to few units.
// Invariant: tables do not ascend, and the last cell of each is strictly the least.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <repebble/graph/detail/deadline_observer.hpp>
#include <repebble/graph/error.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/lower_sets/lower_set_curve.hpp>
#include <repebble/lower_sets/lower_set_problem.hpp>
#include <repebble/lower_sets/segment_cost.hpp>

namespace repebble::inline v0::detail {

/// The curve of least overhead. The table of a set has, for every remaining overhead, the bytes that the remaining
/// segments need, earlier cached bytes not counted. `Segments` is as for `frontier_curve`, without serial vertices, and
/// also has time_left(i), T(V ∖ L_i).
template <class Segments>
class dense_curve final : public sequence_source {
  public:
    using time = std::int64_t;
    using curve = lower_set_curve;

    /// An upper bound on the number of cells of all tables.
    [[nodiscard]] static auto cell_count(Segments const& segments, time most) -> double {
        double count = 0;
        for (std::size_t i = 0; i < segments.size(); ++i) count += static_cast<double>(table_size(segments, i, most));
        return count;
    }

    /// The curve for overheads up to `most` and budgets up to `budget`. O(segments · table).
    template <class Observer>
    [[nodiscard]] static auto solve(Segments segments, time most, bytes budget, Observer&& observer) -> curve {
        auto source = std::make_shared<dense_curve>(std::move(segments));
        source->search(most, budget, observer);
        std::vector<typename curve::breakpoint> breakpoints;
        auto const [first, size] = source->tables_[0];
        for (auto cell = first; cell < first + size; ++cell) {
            bytes const needed = source->cells_[cell];
            if (needed == none || (cell > first && needed == source->cells_[cell - 1])) continue;
            auto const overhead = static_cast<time>(cell - first);
            breakpoints.push_back({overhead, needed, overhead});
            source->firsts_.push_back(cell);
        }
        return {std::move(breakpoints), std::move(source)};
    }
    explicit dense_curve(Segments segments)
        : segments_(std::move(segments)), tables_(segments_.size(), {0, 0}), cells_(1, 0) {
        tables_.back() = {0, 1};
    }

    [[nodiscard]] auto sequence(std::size_t breakpoint) const -> lower_set_sequence override {
        std::vector<vertex_set> sets;
        std::size_t set = 0;
        for (auto cell = firsts_[breakpoint]; set + 1 < segments_.size();) {
            auto const next = follow(set, cell);
            set = next.set;
            cell = next.cell;
            sets.push_back(segments_.make(set));
        }
        return lower_set_sequence::of(sets, segments_.vertex_count());
    }

  private:
    static constexpr bytes none = std::numeric_limits<bytes>::max() / 2;
    struct slice {
        std::size_t first, size;
    };
    struct place {
        std::size_t set, cell;
    };

    [[nodiscard]] static auto table_size(Segments const& segments, std::size_t i, time most) -> std::size_t {
        auto const greatest = std::min(most - segments.least_before(i).overhead, segments.time_left(i));
        return greatest < 0 ? 0 : static_cast<std::size_t>(greatest) + 1;
    }

    template <class Observer>
    void search(time most, bytes budget, Observer& observer) {
        cells_.reserve(static_cast<std::size_t>(cell_count(segments_, most)) + 1);
        std::vector<bytes> table;
        for (std::size_t i = segments_.size() - 1; i-- > 0;) {
            if (is_over(observer)) return;
            table.assign(table_size(segments_, i, most), none);
            if (table.empty()) continue;
            bytes const left = budget - segments_.least_before(i).cached;
            segments_.for_each_from(i, [&](std::size_t to, auto const& cost) {
                if (tables_[to].size > 0) merge(table, to, cost(), left);
            });
            store(i, table);
            if constexpr (requires { observer.progress(0.5); })
                observer.progress(static_cast<double>(segments_.size() - i) / static_cast<double>(segments_.size()));
        }
    }

    /// Lowers a table by the continuations of a segment, as far as they need at most `left` bytes.
    void merge(std::vector<bytes>& table, std::size_t to, segment_cost const& segment, bytes left) const {
        auto const [overhead, working, cached] = segment;
        auto const shift = static_cast<std::size_t>(overhead);
        if (working > left || shift >= table.size()) return;
        bytes* const out = table.data() + shift;
        bytes const* const in = cells_.data() + tables_[to].first;
        bytes const* const end = in + std::min(tables_[to].size, table.size() - shift);
        // Both tables descend; a cell that needs no more than the segment's working bytes cannot be lowered.
        if (out[0] <= working) return;
        auto const first_within = [&](bytes const* from, bytes limit) {
            return *from <= limit ? from : std::partition_point(from, end, [&](bytes b) { return b > limit; });
        };
        auto const* const begin = first_within(in, left - cached);
        if (begin == end || out[begin - in] <= working) return;
        auto const* const flat = first_within(begin, working - cached);
        bytes* to_cell = out + (begin - in);
        for (auto const* from = begin; from != flat; ++from, ++to_cell) *to_cell = std::min(*to_cell, *from + cached);
        if (flat != end) *to_cell = std::min(*to_cell, working);
    }

    /// Stores a table, made monotone and without its constant end.
    void store(std::size_t i, std::vector<bytes>& table) {
        for (std::size_t k = 1; k < table.size(); ++k) table[k] = std::min(table[k], table[k - 1]);
        if (table.back() == none) return;
        while (table.size() > 1 && table[table.size() - 2] == table.back()) table.pop_back();
        tables_[i] = {cells_.size(), table.size()};
        cells_.insert(cells_.end(), table.begin(), table.end());
    }

    /// The traceback of a cell: the next set, and the first of its cells that fits.
    [[nodiscard]] auto follow(std::size_t set, std::size_t cell) const -> place {
        auto const overhead = cell - tables_[set].first;
        bytes const needed = cells_[cell];
        place found{0, 0};
        segments_.for_each_from(set, [&](std::size_t to, auto const& cost) {
            if (found.set != 0 || tables_[to].size == 0) return;
            segment_cost const segment = cost();
            auto const shift = static_cast<std::size_t>(segment.overhead);
            if (segment.working > needed || shift > overhead) return;
            auto const first = tables_[to].first;
            auto const* const in = cells_.data() + first;
            auto const* const end = in + std::min(tables_[to].size, overhead - shift + 1);
            auto const* const at = std::partition_point(in, end, [&](bytes b) { return b + segment.cached > needed; });
            if (at != end) found = {to, first + static_cast<std::size_t>(at - in)};
        });
        REPEBBLE_ASSERT(found.set != 0);
        return found;
    }

    Segments segments_;
    std::vector<slice> tables_;        // cells of each set; empty where V cannot be reached
    std::vector<bytes> cells_;         // the first is V's
    std::vector<std::size_t> firsts_;  // by breakpoint: its cell
};

}  // namespace repebble::inline v0::detail

#endif
