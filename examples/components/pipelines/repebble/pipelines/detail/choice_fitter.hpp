#ifndef REPEBBLE_PIPELINES_DETAIL_CHOICE_FITTER_HPP
#define REPEBBLE_PIPELINES_DETAIL_CHOICE_FITTER_HPP

// Makes a rank's passes fit its budget, one after the other: where one does not, stages and microbatches that are there
// change to choices of fewer bytes, those first that take least more time for it. As no later choice needs more at any
// time, a list that fits at all is made to fit.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <repebble/pipelines/detail/rank_memory.hpp>
#include <repebble/pipelines/pipeline.hpp>
#include <repebble/pipelines/pipeline_schedule.hpp>

namespace repebble::inline v0::detail {

/// The part of recomputation that costs nothing, and what must not change.
struct choice_prices {
    std::span<std::int64_t const> slack{};  ///< by item: time units that are free; empty: none are
    std::optional<std::uint32_t> locked{};  ///< the item whose choice stays
};

/// The memory of a rank, within a budget. Refers to the choices, and changes them.
class choice_fitter {
  public:
    choice_fitter(pipeline const& p, std::size_t rank, bytes budget, std::vector<std::uint32_t>& choices,
                  choice_prices const& prices = {})
        : p_(&p), budget_(budget), memory_(p, rank), choices_(&choices), prices_(prices) {}

    /// Whether the pass fits as it is.
    [[nodiscard]] auto fits(pipeline_pass const& pass) const -> bool {
        return memory_.during(pass, *choices_) <= budget_;
    }
    /// Makes room for the pass, and runs it; false where no choices make room.
    [[nodiscard]] auto run(pipeline_pass const& pass) -> bool;

  private:
    struct change {
        std::optional<rank_memory::resident> of{};  ///< none: of the pass itself
        std::uint32_t item = 0, to = 0;
        double price = 0;  ///< time units per byte
    };
    [[nodiscard]] auto find_cheapest(pipeline_pass const& pass, bytes missing) const -> std::optional<change>;

    pipeline const* p_;
    bytes budget_;
    rank_memory memory_;
    std::vector<std::uint32_t>* choices_;
    choice_prices prices_;
};

/// Makes the lists fit the budgets, from these choices on; false where no choices do.  O(passes · microbatches in
/// flight · choices).
[[nodiscard]] auto fit_rank(pipeline const& p, std::size_t rank, std::span<pipeline_pass const> order, bytes budget,
                            std::vector<std::uint32_t>& choices, choice_prices const& prices = {}) -> bool;

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/pipelines/choice_fitter.ipp>
#endif

#endif
