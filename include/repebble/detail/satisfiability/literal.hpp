#ifndef REPEBBLE_DETAIL_SATISFIABILITY_LITERAL_HPP
#define REPEBBLE_DETAIL_SATISFIABILITY_LITERAL_HPP

// A literal of propositional logic, as a dense code. Every header of this folder uses it.

#include <cstddef>
#include <cstdint>

namespace repebble::inline v0::detail {

/// A variable or its negation; variables are numbered from 0.
class literal {
  public:
    constexpr literal() = default;
    constexpr explicit literal(std::uint32_t variable, bool positive = true)
        : code_(2 * variable + (positive ? 0U : 1U)) {}

    [[nodiscard]] constexpr auto variable() const noexcept -> std::uint32_t { return code_ / 2; }
    [[nodiscard]] constexpr auto is_positive() const noexcept -> bool { return code_ % 2 == 0; }
    /// Dense code in 0 … 2 · variables - 1; the negation has the neighbouring code.
    [[nodiscard]] constexpr auto code() const noexcept -> std::size_t { return code_; }
    [[nodiscard]] constexpr auto operator!() const noexcept -> literal { return {negated_tag{}, code_ ^ 1U}; }

    friend constexpr auto operator==(literal, literal) -> bool = default;

  private:
    struct negated_tag {};
    constexpr literal(negated_tag /*unused*/, std::uint32_t code) : code_(code) {}

    std::uint32_t code_ = 0;
};

}  // namespace repebble::inline v0::detail

#endif
