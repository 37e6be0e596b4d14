#ifndef REPEBBLE_RECOMPUTE_LATTICE_SEGMENTS_HPP
#define REPEBBLE_RECOMPUTE_LATTICE_SEGMENTS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <repebble/detail/ordered_bits.hpp>
#include <repebble/graph/vertex_set.hpp>
#include <repebble/recompute/block_arcs.hpp>
#include <repebble/recompute/lower_set_lattice.hpp>
#include <repebble/recompute/overhead_ceiling.hpp>
#include <repebble/recompute/segment_cost.hpp>

namespace repebble::detail {

/// The segments of irreducible blocks between the lower sets of a lattice, as `frontier_curve` wants them; and where
/// the last segment is kept, from every set to V.
template <quantity Time>
class lattice_segments {
  public:
    lattice_segments(std::shared_ptr<lower_set_lattice<Time> const> lattice, block_arcs<Time> arcs,
                     overhead_ceiling<Time> const& ceiling, bool keep_last)
        : lattice_(std::move(lattice)), arcs_(std::move(arcs)), keep_last_(keep_last) {
        look_ahead(ceiling);
    }

    [[nodiscard]] auto size() const { return lattice_->size(); }
    [[nodiscard]] auto vertex_count() const { return lattice_->problem().size(); }
    [[nodiscard]] auto time() const { return lattice_->time(lattice_->full()); }
    /// T(V ∖ L).
    [[nodiscard]] auto time_left(std::size_t i) const { return time() - lattice_->time(i); }
    /// No sequence of these segments comes to L with less overhead, or with less cached.
    [[nodiscard]] auto least_before(std::size_t i) const { return before_[i]; }
    [[nodiscard]] auto make(std::size_t i) const -> vertex_set {
        vertex_set set(vertex_count());
        auto const vertices = lattice_->problem().vertices();
        ordered_bits::for_each((*lattice_)[i], lattice_->problem().words(),
                               [&](std::size_t v) { set.insert(vertices[v]); });
        return set;
    }
    template <class F>
    void for_each_from(std::size_t i, F&& f) const {
        for (auto const& a : arcs_.from(i)) f(a.to, [&] { return arcs_.cost(a); });
        auto const full = lattice_->full();
        if (keep_last_)
            f(full, [&] { return segment_cost<Time>{Time{}, 2 * (lattice_->memory(full) - lattice_->memory(i)), 0}; });
    }

  private:
    /// Forwards: overhead and cache, each for itself, by segments that fit.
    void look_ahead(overhead_ceiling<Time> const& ceiling) {
        Time const beyond = ceiling.most() + Time{1};
        before_.assign(size(), {beyond, ceiling.budget()});
        before_[0] = {};
        for (std::size_t i = 0; i < size(); ++i) {
            auto const before = before_[i];
            if (before.overhead > ceiling.most()) continue;
            for_each_from(i, [&](std::size_t to, auto const& cost) {
                segment_cost<Time> const segment = cost();
                if (segment.working > ceiling.budget() - before.cached) return;
                before_[to].overhead = std::min(before_[to].overhead, before.overhead + segment.overhead);
                before_[to].cached = std::min(before_[to].cached, before.cached + segment.cached);
            });
        }
    }

    std::shared_ptr<lower_set_lattice<Time> const> lattice_;
    block_arcs<Time> arcs_;
    bool keep_last_;
    std::vector<spent<Time>> before_;
};

}  // namespace repebble::detail

#endif
