#ifndef REPEBBLE_ALLOCATE_DETAIL_POOLS_POOL_SECTIONS_HPP
#define REPEBBLE_ALLOCATE_DETAIL_POOLS_POOL_SECTIONS_HPP

// Time of pool_table in sections: those of `compact`, or, where accesses are given, one between any two times at which
// a piece begins or ends or an access is made. The section of an access is as long as one step, and copies are made
// in such sections only.
// Invariant: two pieces overlap in time exactly if they share a section.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <repebble/allocate/buffer.hpp>
#include <repebble/allocate/detail/shapes/buffer_shapes.hpp>
#include <repebble/allocate/detail/shapes/compact_shapes.hpp>
#include <repebble/allocate/pool_plan.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

class pool_sections {
  public:
    /// Requires: accesses are before the greatest time.
    pool_sections(buffer_shapes const& shapes, std::span<std::vector<pool_access> const> accesses) {
        section_sweep sweep(shapes);
        if (accesses.empty()) {
            for (std::size_t k = 0; k < sweep.first.size(); ++k) pieces_.emplace_back(sweep.first[k], sweep.last[k]);
            load_ = std::move(sweep.load);
        } else {
            cut(shapes, accesses);
        }
    }

    /// The first section of a piece, and the one after its last.
    [[nodiscard]] auto of(std::size_t piece) const -> std::pair<std::size_t, std::size_t> { return pieces_[piece]; }
    /// The live bytes of all pools in each section.
    [[nodiscard]] auto load() const -> std::vector<bytes> const& { return load_; }
    /// Of each section, where accesses are given: whether copies may be made.
    [[nodiscard]] auto copies() const -> std::vector<std::uint8_t> const& { return copies_; }
    /// Where accesses are given.
    [[nodiscard]] auto section_of(std::int64_t time) const -> std::size_t {
        return static_cast<std::size_t>(std::ranges::lower_bound(times_, time) - times_.begin());
    }
    [[nodiscard]] auto time_of(std::size_t first, std::size_t last) const -> interval {
        return {times_[first], times_[last]};
    }

  private:
    void cut(buffer_shapes const& shapes, std::span<std::vector<pool_access> const> accesses) {
        for (std::size_t s = 0; s < shapes.pieces.size(); ++s)
            for (auto const& p : shapes.pieces[s]) times_.insert(times_.end(), {p.lifetime.lower, p.lifetime.upper});
        for (auto const& each : accesses)
            for (auto const& a : each) times_.insert(times_.end(), {a.time, a.time + 1});
        sort_unique(times_);
        load_.assign(times_.empty() ? 0 : times_.size() - 1, 0);
        copies_.assign(load_.size(), 0);
        for (std::size_t s = 0; s < shapes.pieces.size(); ++s)
            for (auto const& [lifetime, part] : shapes.pieces[s]) {
                pieces_.emplace_back(section_of(lifetime.lower), section_of(lifetime.upper));
                for (auto t = pieces_.back().first; t < pieces_.back().second; ++t)
                    load_[t] = checked_add(load_[t], part.upper - part.lower, "live bytes");
            }
        for (auto const& each : accesses)
            for (auto const& a : each) copies_[section_of(a.time)] = 1;
    }

    std::vector<std::int64_t> times_{};  // where accesses are given: the begins of the sections, and an end
    std::vector<std::pair<std::size_t, std::size_t>> pieces_{};
    std::vector<bytes> load_{};
    std::vector<std::uint8_t> copies_{};
};

}  // namespace repebble::inline v0::detail

#endif
