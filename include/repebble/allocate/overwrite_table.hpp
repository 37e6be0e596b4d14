#ifndef REPEBBLE_ALLOCATE_OVERWRITE_TABLE_HPP
#define REPEBBLE_ALLOCATE_OVERWRITE_TABLE_HPP

// The rule of in-place computation as data: a sorted table of allowed overwrites, and its translation to a dataflow
// with contracted views. `write_in_place` accepts it as its overwrite rule.

#include <algorithm>
#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/detail/contract_views.hpp>

namespace repebble::inline v0 {

/// Permission for an operation to write its output `output` over the value `over`, which it reads.
struct allowed_overwrite {
    operation_index operation = 0;  ///< the operation that writes
    std::uint32_t output = 0;       ///< the number of its output
    value_index over = 0;           ///< the input whose storage it takes over

    friend constexpr auto operator==(allowed_overwrite const&, allowed_overwrite const&) -> bool = default;
    friend constexpr auto operator<=>(allowed_overwrite const&, allowed_overwrite const&) = default;
};

/// An overwrite rule that lists every allowed overwrite. It owns its data.
class overwrite_table {
  public:
    overwrite_table() = default;
    /// O(n log n).
    explicit overwrite_table(std::vector<allowed_overwrite> allowed);

    /// O(log n).
    [[nodiscard]] auto operator()(operation_index v, std::uint32_t output, value_index over) const -> bool {
        return std::ranges::binary_search(allowed_, allowed_overwrite{v, output, over});
    }
    /// The allowed overwrites, ascending.
    [[nodiscard]] auto allowed() const noexcept -> std::span<allowed_overwrite const> { return allowed_; }

    friend auto operator==(overwrite_table const&, overwrite_table const&) -> bool = default;

  private:
    std::vector<allowed_overwrite> allowed_;
};

namespace detail {

/// The table of a dataflow with its views contracted: permission to overwrite a view becomes permission to overwrite
/// its owner. No permission remains for an operation that reads the owner by two names, as the contracted dataflow does
/// not show that.  O(n log n + reads).
[[nodiscard]] auto contract_overwrites(dataflow const& flow, detail::contracted_dataflow const& contracted,
                                       overwrite_table const& table) -> overwrite_table;

}  // namespace detail

}  // namespace repebble::inline v0

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/allocate/overwrite_table.ipp>
#endif

#endif
