#ifndef REPEBBLE_LOWER_SETS_DETAIL_LATTICE_SERIAL_STEPS_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_LATTICE_SERIAL_STEPS_HPP

// Segments through serial vertices, factored into steps: a vertex comparable with all others, past which no edge leads,
// divides every segment that recomputes it into two independent parts. Keeps the number of arcs near linear in long
// graphs. Used by lattice_segments.hpp and passes/exact_curve.hpp.

#include <algorithm>
#include <cstddef>
#include <vector>

#include <repebble/detail/position_bits.hpp>
#include <repebble/graph/lower_sets/detail/serial_vertices.hpp>
#include <repebble/lower_sets/detail/lattice/lower_set_lattice.hpp>
#include <repebble/lower_sets/positional_problem.hpp>
#include <repebble/lower_sets/segment_cost.hpp>

namespace repebble::inline v0::detail {

/// The serial vertices of a lattice's graph that may be recomputed, in order, and the costs of the steps between them.
///
/// Take a segment L → L' that recomputes a serial vertex a. It consists of the ancestors of a outside L, all
/// recomputed, of a itself, and of a part B₂ after a. Its overhead and working memory are the sums of both parts'; its
/// cached bytes are those of the second. So such segments need not be listed pair by pair: from L one step leads to a,
/// with the segment still open, and from a one step leads to every L' that contains the successors of a, or to the next
/// serial vertex. A segment that contains a and later vertices, and caches a, can be split after a at no cost.
class serial_steps {
  public:
    using index = typename lower_set_lattice::index;

    /// No serial vertices.
    serial_steps() = default;

    /// All serial vertices of a lattice's graph, but pinned ones.  O(n + m + #L n / 64).
    explicit serial_steps(lower_set_lattice const& lattice) : lattice_(&lattice) {
        auto const& problem = lattice.problem();
        recomputed_.assign(problem.words(), 0);
        for (auto const v : serial_vertices(problem.graph())) {
            if (problem.pinned(v)) continue;
            positions_.push_back(v);
            sets_.push_back(lattice.find(problem.ancestors(v)));
            position_bits::insert(recomputed_.data(), v);
        }
    }

    [[nodiscard]] auto count() const noexcept -> std::size_t { return sets_.size(); }
    /// The serial vertices as a set of positions; null where there are none.
    [[nodiscard]] auto vertices() const -> position_bits::word const* {
        return recomputed_.empty() ? nullptr : recomputed_.data();
    }
    /// The lower set of the k-th serial vertex and its ancestors. Sets between this and the next such set contain no
    /// further serial vertex.
    [[nodiscard]] auto set(std::size_t k) const -> index { return sets_[k]; }
    /// The first serial vertex that a set does not contain, or count().
    [[nodiscard]] auto after(std::size_t set) const -> std::size_t {
        return static_cast<std::size_t>(std::upper_bound(sets_.begin(), sets_.end(), set) - sets_.begin());
    }
    /// The number of pairs of a set and a later set with no serial vertex between them.
    [[nodiscard]] auto close_pairs() const -> double {
        double pairs = 0;
        double first = 0;
        for (std::size_t k = 0; k <= count(); ++k) {
            double const end = k < count() ? static_cast<double>(sets_[k]) + 1 : static_cast<double>(lattice_->size());
            pairs += (end - first) * (end - first) / 2;
            first = end - 1;
        }
        return pairs;
    }

    /// Cost of the step from a set to a later serial vertex k: all members are recomputed, but for pinned ones.
    [[nodiscard]] auto to_serial(std::size_t set, std::size_t k) const -> segment_cost {
        return cost(set, sets_[k], [](std::size_t) { return true; });
    }
    /// Cost of the step from serial vertex k to the next one.
    [[nodiscard]] auto to_next(std::size_t k) const -> segment_cost { return to_serial(sets_[k], k + 1); }
    /// Whether a segment that recomputes serial vertex k may end at a set that contains it.
    [[nodiscard]] auto may_end(std::size_t k, std::size_t set) const -> bool {
        auto const& problem = lattice_->problem();
        return position_bits::is_subset(problem.successors(positions_[k]), (*lattice_)[set], problem.words());
    }
    /// Cost of the step from serial vertex k to such a set.
    [[nodiscard]] auto to_set(std::size_t k, std::size_t set) const -> segment_cost {
        auto const& problem = lattice_->problem();
        auto result = cost(sets_[k], set, [&](std::size_t v) {
            return position_bits::is_subset(problem.successors(v), (*lattice_)[set], problem.words());
        });
        result.working += lattice_->beyond(set);
        return result;
    }

  private:
    /// Cost of the vertices in the second set and not in the first, recomputed where recomputed(v), else cached.
    template <class Recomputed>
    [[nodiscard]] auto cost(std::size_t from, std::size_t to, Recomputed const& recomputed) const -> segment_cost {
        auto const& problem = lattice_->problem();
        segment_cost result{std::int64_t{}, 2 * (lattice_->memory(to) - lattice_->memory(from)), 0};
        for (std::size_t k = 0; k < problem.words(); ++k)
            position_bits::for_each_of_word((*lattice_)[to][k] & ~(*lattice_)[from][k], k, [&](std::size_t v) {
                if (!problem.pinned(v) && recomputed(v)) {
                    result.overhead += problem.time(v);
                } else {
                    result.cached += problem.memory(v);
                }
            });
        return result;
    }

    lower_set_lattice const* lattice_ = nullptr;
    std::vector<std::size_t> positions_;
    std::vector<index> sets_;
    std::vector<position_bits::word> recomputed_;
};

}  // namespace repebble::inline v0::detail

#endif
