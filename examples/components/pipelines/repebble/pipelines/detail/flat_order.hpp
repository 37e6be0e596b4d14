#ifndef REPEBBLE_PIPELINES_DETAIL_FLAT_ORDER_HPP
#define REPEBBLE_PIPELINES_DETAIL_FLAT_ORDER_HPP

// The passes of all ranks in one array, with what each waits for: times of many choices are found without looking at
// names again. The judge, the bounds and the search for choices use it.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <repebble/pipelines/pipeline.hpp>
#include <repebble/pipelines/pipeline_schedule.hpp>

namespace repebble::inline v0::detail {

/// A pass, what it waits for and how long it takes.
struct timed_pass {
    static constexpr auto none = std::numeric_limits<std::uint32_t>::max();

    pipeline_pass name{};
    std::uint32_t item = 0;      ///< stage · microbatches + microbatch
    std::uint32_t data = none;   ///< the pass whose output it reads
    std::int64_t lag{};          ///< until it has that
    std::int64_t duration{};     ///< nothing computed again
    bool first_on_rank = false;  ///< no pass of its rank comes before it
    bool recomputes = false;     ///< whether it begins with what is computed again
};

/// Passes in the order of ranks, of each in its own order.  Requires of the constructor: passes name stages and
/// microbatches that exist, each pass once.
class flat_order {
  public:
    static constexpr auto none = timed_pass::none;

    /// O(passes).
    flat_order(pipeline const& p, pass_orders const& orders);

    [[nodiscard]] auto passes() const noexcept -> std::span<timed_pass const> { return passes_; }
    /// Where the passes of a rank begin; of the number of ranks: where all end.
    [[nodiscard]] auto begin_of(std::size_t rank) const -> std::size_t { return begins_[rank]; }
    /// What runs before what reads it; shorter than all passes where some wait for each other.
    [[nodiscard]] auto topological() const noexcept -> std::span<std::uint32_t const> { return topological_; }
    /// Of every pass, time units of what is computed again by these choices.
    [[nodiscard]] auto recomputed(std::span<std::uint32_t const> choices) const -> std::vector<std::int64_t>;
    /// Ends of all passes.  Requires: all are in the topological order.
    [[nodiscard]] auto ends(std::span<std::int64_t const> again) const -> std::vector<std::int64_t>;
    /// Time from the end of each pass to the end of the last, at least.  Requires: the same.
    [[nodiscard]] auto tails(std::span<std::int64_t const> again) const -> std::vector<std::int64_t>;
    /// Of every stage and microbatch, how much longer what is computed again could take without a longer makespan.
    /// Requires: these are the ends; the same.
    [[nodiscard]] auto slacks(std::span<std::int64_t const> again, std::span<std::int64_t const> ends) const
        -> std::vector<std::int64_t>;

  private:
    void find_data();
    void sort();

    pipeline const* p_;
    std::vector<timed_pass> passes_;
    std::vector<std::size_t> begins_;
    std::vector<std::uint32_t> topological_;
};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/pipelines/flat_order.ipp>
#endif

#endif
