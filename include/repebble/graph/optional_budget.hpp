#ifndef REPEBBLE_GRAPH_OPTIONAL_BUDGET_HPP
#define REPEBBLE_GRAPH_OPTIONAL_BUDGET_HPP

// The budget of a call, from any whole number: the one place where budgets are refused.

#include <concepts>
#include <optional>
#include <string>

#include <repebble/graph/error.hpp>
#include <repebble/graph/quantity.hpp>
#include <repebble/graph/unmet_requirement.hpp>

namespace repebble::inline v0 {

namespace detail {

/// A budget as bytes.  Throws bad_weight, naming the number, where it is negative or above 2^63 - 1.
template <std::integral Raw>
[[nodiscard]] constexpr auto budget_in_bytes(Raw raw) -> bytes {
    return to_bytes(raw, [] { return "the budget"; });
}

}  // namespace detail

/// The budget of a strategy, in bytes, or none: the least attainable. Every whole number converts to it, and throws
/// bad_weight, naming it, where it is negative or above 2^63 - 1; a floating-point number is refused by the compiler.
class optional_budget {
  public:
    /// None.
    constexpr optional_budget(std::nullopt_t = std::nullopt) noexcept {}
    /// So many bytes.  Throws bad_weight.
    template <std::integral Raw>
    constexpr optional_budget(Raw raw) : budget_(detail::budget_in_bytes(raw)) {}
    /// So many bytes, if any.  Throws bad_weight.
    template <std::integral Raw>
    constexpr optional_budget(std::optional<Raw> const& raw) {
        if (raw) budget_ = detail::budget_in_bytes(*raw);
    }
    template <std::floating_point Raw, class UnmetRequirement = unmet::the_budget_is_a_whole_number_of_bytes>
    optional_budget(Raw) = delete;

    /// The bytes, if any.
    [[nodiscard]] constexpr operator std::optional<bytes>() const noexcept { return budget_; }

  private:
    std::optional<bytes> budget_{};
};

}  // namespace repebble::inline v0

#endif
