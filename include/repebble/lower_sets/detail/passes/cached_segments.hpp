#ifndef REPEBBLE_LOWER_SETS_DETAIL_PASSES_CACHED_SEGMENTS_HPP
#define REPEBBLE_LOWER_SETS_DETAIL_PASSES_CACHED_SEGMENTS_HPP

// A list of segments with their costs, computed once for the many passes of bidirectional_search.hpp, where costs are
// expensive: those of a family (solve_lower_sets.hpp).

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/jagged_array.hpp>
#include <repebble/detail/paced_stop.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/lower_sets/segment_cost.hpp>

namespace repebble::inline v0::detail {

/// The segments that may be in a sequence within a budget. `Segments` is as for `frontier_curve`, and must outlive
/// this.
template <class Segments>
class cached_segments {
  public:
    /// From when stop() returns true on, none is listed.  O(segments).
    cached_segments(Segments const& segments, bytes budget, stop_test stop) : segments_(&segments) {
        paced_stop over(stop);
        std::vector<arc> found;
        for (std::size_t i = 0; i < segments.nodes().size(); ++i) {
            found.clear();
            bytes const left = budget - segments.least_before(i).cached;
            if (!over.after(segments.size() - i))
                segments.for_each_from(i, [&](std::uint32_t j, auto const& cost) {
                    if (arc const a{j, cost()}; a.second.working <= left) found.push_back(a);
                });
            arcs_.append(found);
        }
    }

    [[nodiscard]] auto size() const { return segments_->size(); }
    [[nodiscard]] auto vertex_count() const { return segments_->vertex_count(); }
    [[nodiscard]] auto time() const { return segments_->time(); }
    [[nodiscard]] auto least_before(std::size_t i) const { return segments_->least_before(i); }
    [[nodiscard]] auto make(std::size_t i) const { return segments_->make(i); }
    [[nodiscard]] auto nodes() const { return segments_->nodes(); }
    [[nodiscard]] auto is_serial(std::size_t i) const { return segments_->is_serial(i); }
    template <class F>
    void for_each_from(std::size_t i, F&& f) const {
        for (auto const& [j, cost] : arcs_[i]) f(j, [&cost = cost] { return cost; });
    }

  private:
    using arc = std::pair<std::uint32_t, segment_cost>;

    Segments const* segments_;
    jagged_array<arc> arcs_;
};

}  // namespace repebble::inline v0::detail

#endif
