#ifndef REPEBBLE_TESTS_SUPPORT_FAMILY_CHOICE_HPP
#define REPEBBLE_TESTS_SUPPORT_FAMILY_CHOICE_HPP

#include <cstddef>
#include <optional>

#include <repebble/lower_sets/lower_set_curve.hpp>

namespace support {

/// The options, for a choice of lower sets of which there may be so many.
[[nodiscard]] inline auto with_choice(repebble::lower_set_options options, repebble::family_choice choice,
                                      std::optional<std::size_t> most = {}) -> repebble::lower_set_options {
    options.choice = choice;
    options.limits.work = most;
    return options;
}

}  // namespace support

#endif
