#ifndef REPEBBLE_IMPL_ALLOCATE_BUFFER_IPP
#define REPEBBLE_IMPL_ALLOCATE_BUFFER_IPP

#include <repebble/allocate/buffer.hpp>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto fault_of(buffer const& b) -> std::string {
    auto const shown = [](interval const& i) {
        return "[" + std::to_string(i.lower) + ", " + std::to_string(i.upper) + ")";
    };
    if (b.size < 0) return "its size is negative: " + std::to_string(b.size);
    if (b.lifetime.lower > b.lifetime.upper) return "its lifetime ends before it begins: " + shown(b.lifetime);
    if (b.alignment < 1) return "its alignment is not positive: " + std::to_string(b.alignment);
    if (b.pinned && (*b.pinned < 0 || *b.pinned % b.alignment != 0))
        return "its offset " + std::to_string(*b.pinned) + " is negative or no multiple of its alignment " +
               std::to_string(b.alignment);
    bytes end = 0;
    if (b.pinned && __builtin_add_overflow(*b.pinned, b.size, &end))
        return "its offset and size together do not fit in 64 bits";
    auto free_from = b.lifetime.lower;
    for (auto const& gap : b.gaps) {
        if (gap.lifetime.empty() || gap.lifetime.lower < free_from || gap.lifetime.upper > b.lifetime.upper)
            return "its gap " + shown(gap.lifetime) + " is empty, not in its lifetime " + shown(b.lifetime) +
                   ", or begins before the one before it ends";
        if (gap.window && (gap.window->lower > gap.window->upper || !interval{0, b.size}.contains(*gap.window)))
            return "the window " + shown(*gap.window) + " of a gap is not in its " + std::to_string(b.size) + " bytes";
        free_from = gap.lifetime.upper;
    }
    return {};
}

/// Describes the first fault of an alias; empty if it has none.
[[nodiscard]] inline auto alias_fault_of(buffer const& b, std::span<buffer const> buffers) -> std::string {
    auto const other = std::to_string(*b.alias_of);
    if (*b.alias_of >= buffers.size()) return "it is an alias of buffer " + other + ", which does not exist";
    auto const& root = buffers[*b.alias_of];
    if (root.alias_of) return "it is an alias of buffer " + other + ", which is an alias itself";
    if (b.pinned && b.pinned != root.pinned) return "it is an alias of buffer " + other + ", which is not pinned there";
    return {};
}

REPEBBLE_INLINE void require_valid_buffers(std::span<buffer const> buffers) {
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        auto const& b = buffers[i];
        auto fault = fault_of(b);
        if (fault.empty() && b.alias_of) fault = alias_fault_of(b, buffers);
        if (!fault.empty()) detail::raise(bad_buffer("buffer " + std::to_string(i) + ": " + fault));
    }
}

}  // namespace repebble::inline v0::detail

#endif
