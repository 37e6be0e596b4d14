#ifndef REPEBBLE_TESTS_IO_SPOILED_TEXT_HPP
#define REPEBBLE_TESTS_IO_SPOILED_TEXT_HPP

#include <cstddef>
#include <string>
#include <vector>

#include "support/generators.hpp"

namespace support {

/// The text with up to three places replaced by what may stand in a file of PACE, from `first` on.
[[nodiscard]] inline auto spoiled_pace_text(split_mix& random, std::string text, std::size_t first) -> std::string {
    for (auto count = below(random, 4); count > 0 && text.size() > first; --count) {
        auto const at = first + below(random, text.size() - first);
        auto const piece = pick(random, std::vector<std::string>{"", "0", "9", " ", "\n", "-", "s", "b", "p", "c"});
        text.replace(at, below(random, 4), piece);
    }
    return text;
}

}  // namespace support

#endif
