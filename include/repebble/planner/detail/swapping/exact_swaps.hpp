#ifndef REPEBBLE_PLANNER_DETAIL_SWAPPING_EXACT_SWAPS_HPP
#define REPEBBLE_PLANNER_DETAIL_SWAPPING_EXACT_SWAPS_HPP

// The fastest list with copies of a small graph, or a bound: best-first label setting (Martins 1984). A label has the
// values in each pool, the operations that have run, and the times of lanes and values; among labels with the same sets
// one that is no later in any time dominates. Only some lists are looked at, no slower than all others: a discard is
// listed just before a step that needs its bytes, since an earlier one only makes others wait (pebbling/README.md);
// copies out are listed just before such discards, the last of a value that is discarded there; what is copied in is
// used before it is discarded. When the search stops early, the least makespan that an open label may lead to is a
// bound of all lists. The planner that swaps begins with it.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <queue>
#include <span>
#include <tuple>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/pebbling/schedule.hpp>
#include <repebble/planner/detail/swapping/swap_decoder.hpp>

namespace repebble::inline v0::detail {

class exact_swaps {
  public:
    struct answer {
        std::optional<std::vector<list_step>> list{};  ///< a fastest one, if the search has found it
        std::optional<std::int64_t> bound{};           ///< no list takes less; nothing: there is no list
    };

    /// Whether the search can be tried: there are few operations and values, and all values may be moved.
    [[nodiscard]] static auto is_small(swap_gaps const& p) -> bool;
    /// Refers to the problem.  Requires: it is small.
    explicit exact_swaps(swap_gaps const& p);

    /// The fastest list, if it takes less than `below`; after so much work, or when `stop()`, a bound alone.
    /// O(work · labels with the same sets).
    [[nodiscard]] auto search(std::optional<std::int64_t> below, std::size_t most_work, function_ref<bool()> stop)
        -> answer;

  private:
    using set = std::uint64_t;
    using time = std::int64_t;

    struct value_times {
        time ready = 0, used = 0, host_ready = 0, host_used = 0;
    };
    struct label {
        set device = 0, host = 0, ran = 0;
        set unused = 0;        // copied in, and not used yet
        set useful = 0;        // values that may still be read
        set leaving = 0;       // the value copied out last, if it must be discarded or overwritten next
        std::size_t runs = 0;  // operations that have run
        time computed = 0, out = 0, in = 0, free = 0, host_free = 0;  // ends of lanes; memory of the pools is free
        std::vector<value_times> times{};                             // of the values that may be copied
        std::vector<list_step> steps{};                               // since the label before
        std::size_t before = 0;
        bool is_dominated = false;
    };

    [[nodiscard]] static auto bit(std::size_t k) -> set { return set{1} << k; }
    [[nodiscard]] static auto has(set s, std::size_t k) -> bool { return (s >> k & 1U) != 0; }
    [[nodiscard]] static auto set_of(std::span<value_index const> values) -> set {
        set s = 0;
        for (auto const x : values) s |= bit(x);
        return s;
    }
    /// The values that may have to be copied: those with bytes, and those that mutations end.
    [[nodiscard]] static auto copied_values(planning_model const& m) -> std::vector<value_index>;
    [[nodiscard]] auto bytes_of(set s) const -> bytes;
    /// The values that a run of v overwrites, by mutations or in place.
    [[nodiscard]] auto ended_by(operation_index v, value_index over) const -> set {
        return ended_[v] | (over == no_value ? 0 : bit(over));
    }
    /// Calls f for each set of these values that has so many bytes, and none of whose own subsets has, until the work
    /// is over.
    template <class F>
    void for_each_least(set from, bytes needed, F&& f, set chosen = 0, std::size_t next = 0) {
        ++work_;
        if (needed <= 0) return f(chosen);
        // Largest first: without the last of them there are too few.
        for (; work_ <= most_work_ && next < by_size_.size(); ++next)
            if (auto const x = by_size_[next]; has(from, x))
                for_each_least(from, needed - m_.sizes[x], f, chosen | bit(x), next + 1);
    }

    // --- Steps -----------------------------------------------------------------------------------------------------

    void expand(std::size_t at);
    void compute_next(std::size_t at, operation_index v, value_index over = no_value);
    void copy_out_next(std::size_t at, value_index x);
    void copy_in_next(std::size_t at, value_index x);

    [[nodiscard]] auto after(std::size_t at) const -> label;
    void discard(label& l, pool from, set gone) const;
    void compute(label& l, operation_index v, value_index over) const;

    // --- Labels ----------------------------------------------------------------------------------------------------

    /// No list that begins so ends earlier.
    [[nodiscard]] auto least_end(label const& l) const -> time;
    /// Values of no further use are discarded where nothing waits for that.
    void drop_useless(label& l) const;
    /// No copy in begins earlier from here on.
    [[nodiscard]] auto earliest_in(label const& l) const -> time;
    /// Times that make no difference become equal.
    void normalise(label& l) const;
    [[nodiscard]] static auto dominates(label const& a, label const& b) -> bool;
    void enter(label l);
    [[nodiscard]] auto list_of(std::size_t at) const -> std::vector<list_step>;

    swap_gaps const& p_;
    planning_model const& m_;
    std::vector<std::size_t> slot_;     // by value: its number in `label::times`
    std::vector<value_index> by_size_;  // the values that may be copied, largest first
    set copied_ = 0;                    // the same
    std::vector<set> reads_, writes_;   // by operation
    std::vector<set> ended_;            // by operation: what it overwrites
    std::optional<time> below_;
    std::size_t work_ = 0, most_work_ = 0;  // sets of discards that were looked at
    std::vector<label> labels_;
    std::map<std::tuple<set, set, set>, std::vector<std::size_t>> with_sets_;
    // The least end first; of equal ones that which computed longest, then the last one.
    std::priority_queue<std::tuple<time, time, std::size_t>> open_;
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/planner/swapping/exact_swaps.ipp>
#endif

#endif
