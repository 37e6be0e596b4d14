#ifndef MEASURE_CHEAP_HPP
#define MEASURE_CHEAP_HPP

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

// Programs that write pages know one word, --cheap: print only what costs little, for tests/checks/page_rows.py, which
// compares that with the page. Figures in those rows are what the whole run prints.
namespace measure {

/// What stands in a row for a figure that was not asked for: any figure of the page.
inline constexpr char const* not_asked = "…";

/// Whether the arguments have --cheap, which is taken away.
[[nodiscard]] inline auto take_cheap(int& argc, char** argv) -> bool {
    auto const end = std::remove(argv + 1, argv + argc, std::string_view("--cheap"));
    bool const found = end != argv + argc;
    argc = static_cast<int>(end - argv);
    return found;
}

/// Whether a name is among the arguments from that on, or there are none.
[[nodiscard]] inline auto is_asked_for(std::string_view name, std::span<char* const> arguments, std::size_t from)
    -> bool {
    if (arguments.size() <= from) return true;
    return std::ranges::find(arguments.subspan(from), name, [](char const* a) { return std::string_view(a); }) !=
           arguments.end();
}

}  // namespace measure

#endif
