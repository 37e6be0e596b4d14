#ifndef REPEBBLE_DETAIL_SATISFIABILITY_BRANCHING_HEAP_HPP
#define REPEBBLE_DETAIL_SATISFIABILITY_BRANCHING_HEAP_HPP

// The order of branching: "variable state independent decaying sum" (VSIDS; Moskewicz et al. 2001, section 3), in a
// binary heap with positions. Used by the conflict-driven search.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace repebble::inline v0::detail {

/// A heap of variables, the one with the highest activity first: its conflicts, the recent ones weighted more.
class branching_heap {
  public:
    /// Adds the next variable, in the heap.
    void add_variable() {
        places_.push_back(none);
        activities_.push_back(0);
        insert(static_cast<std::uint32_t>(places_.size() - 1));
    }
    [[nodiscard]] auto is_empty() const noexcept -> bool { return heap_.empty(); }
    /// Inserts a variable that is not in the heap; else nothing.  O(log variables).
    void insert(std::uint32_t variable) {
        if (places_[variable] != none) return;
        heap_.push_back(variable);
        rise(heap_.size() - 1);
    }
    /// Removes and returns the variable of highest activity.  O(log variables).  Requires: the heap is not empty.
    auto pop() -> std::uint32_t {
        auto const first = heap_.front(), last = heap_.back();
        heap_.pop_back();
        places_[first] = none;
        if (!heap_.empty()) sink(last);
        return first;
    }
    /// Raises the activity of a variable that took part in a conflict.
    void bump(std::uint32_t variable) {
        constexpr double most = 1e100;
        if ((activities_[variable] += weight_) > most) {
            for (auto& a : activities_) a /= most;
            weight_ /= most;
        }
        if (places_[variable] != none) rise(places_[variable]);
    }
    /// Lets later conflicts weigh more: the decay of VSIDS.
    void decay() { weight_ /= 0.95; }

  private:
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();

    void put(std::size_t place, std::uint32_t variable) {
        heap_[place] = variable;
        places_[variable] = static_cast<std::uint32_t>(place);
    }
    void rise(std::size_t place) {
        auto const variable = heap_[place];
        while (place > 0 && activities_[heap_[(place - 1) / 2]] < activities_[variable]) {
            put(place, heap_[(place - 1) / 2]);
            place = (place - 1) / 2;
        }
        put(place, variable);
    }
    /// Puts the variable at the root and sifts it down.
    void sink(std::uint32_t variable) {
        std::size_t place = 0;
        for (auto child = place; (child = 2 * place + 1) < heap_.size(); place = child) {
            if (child + 1 < heap_.size() && activities_[heap_[child + 1]] > activities_[heap_[child]]) ++child;
            if (activities_[heap_[child]] <= activities_[variable]) break;
            put(place, heap_[child]);
        }
        put(place, variable);
    }

    std::vector<std::uint32_t> heap_, places_;
    std::vector<double> activities_;
    double weight_ = 1;
};

}  // namespace repebble::inline v0::detail

#endif
