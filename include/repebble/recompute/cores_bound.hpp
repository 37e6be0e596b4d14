#ifndef REPEBBLE_RECOMPUTE_CORES_BOUND_HPP
#define REPEBBLE_RECOMPUTE_CORES_BOUND_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <repebble/recompute/held_clauses.hpp>
#include <repebble/recompute/hold_cut.hpp>
#include <repebble/recompute/search_model.hpp>
#include <repebble/satisfiability/conflict_search.hpp>
#include <repebble/satisfiability/core_guided_search.hpp>

namespace repebble::detail {

/// What a chain of many moments says of the time of schedules within a budget, by cores of what they oblige to
/// (`held_clauses`). Prices on bytes (`moments_search`) say little where a few large values are all that fits, since
/// half of a value saves half of its time there: here every value is held or is not.
class cores_bound {
  public:
    /// Of schedules that take less than `enough` above everything once.  Requires: as `held_clauses`.
    cores_bound(search_model const& m, std::vector<hold_cut> chain, bytes budget, std::int64_t enough)
        : chain_(std::move(chain)),
          clauses_(m, chain_, budget, search_),
          enough_(enough),
          cores_(search_, enough + clauses_.counted_once()) {
        for (auto const& a : clauses_.again()) cores_.add_cost(a.runs, a.time);
    }
    cores_bound(cores_bound const&) = delete;  // its parts refer to each other
    auto operator=(cores_bound const&) -> cores_bound& = delete;

    /// Whether it is proven, with so many conflicts at most, that nothing fits whatever time it takes. Before
    /// `improve`.
    [[nodiscard]] auto proves_infeasible(std::size_t conflicts) -> bool {
        return search_.solve({}, conflicts) == satisfaction::unsatisfiable;
    }
    /// Until `stop()` says so, which is asked now and then, or `enough` is proven.
    template <class Stop>
    void improve(Stop&& stop) {
        cores_.run(stop);
    }
    /// No such schedule takes less than this above everything once.
    [[nodiscard]] auto bound() const -> std::int64_t {
        return std::min(std::max<std::int64_t>(0, cores_.bound() - clauses_.counted_once()), enough_);
    }
    /// It will not become more.
    [[nodiscard]] auto is_done() const -> bool { return cores_.is_done(); }
    /// Grows with the work that is done, about as the time does.
    [[nodiscard]] auto work() const noexcept -> std::size_t { return search_.work(); }

  private:
    std::vector<hold_cut> chain_;
    conflict_search search_;
    held_clauses clauses_;
    std::int64_t enough_;
    core_guided_search cores_;
};

}  // namespace repebble::detail

#endif
