#include "support/property.hpp"

#include <rapidcheck.h>

namespace support::detail {

auto holds(std::function<void()> const& property) -> bool { return rc::check(property); }

auto holds_for_seeds(std::function<void(std::uint64_t)> const& property) -> bool { return rc::check(property); }

}  // namespace support::detail
