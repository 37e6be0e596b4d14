#ifndef REPEBBLE_IMPL_ALLOCATE_SHARE_BLOCKS_IPP
#define REPEBBLE_IMPL_ALLOCATE_SHARE_BLOCKS_IPP

#include <repebble/allocate/share_blocks.hpp>

#include <repebble/allocate/detail/colour_buffers.hpp>
#include <repebble/allocate/detail/share_where.hpp>
#include <repebble/allocate/detail/parallel/share_in_parallel.hpp>
#include <repebble/allocate/detail/parallel/share_on_paths.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto share_blocks(std::span<buffer const> buffers, sharing_options const& options) -> shared_blocks {
    bool const scan = options.method == block_method::scan;
    auto const refuse = [](bool both, char const* why) {
        if (both) detail::raise(bad_option(std::string("sharing_options: ") + why));
    };
    refuse(options.search && !scan, "search and method exclude each other: a colouring has no match range");
    refuse(options.paths && !scan, "paths and method exclude each other: a colouring has no paths");
    refuse(options.paths && options.steps == nullptr, "paths has no meaning without steps");
    if (options.steps == nullptr) {
        if (!scan) return detail::colour_buffers(buffers, detail::conflict_graph(buffers), options.method);
        return detail::share_where(buffers, options, [](std::size_t, std::size_t) { return true; });
    }
    auto const& steps = *options.steps;
    if (!scan) return detail::colour_buffers(buffers, detail::parallel_conflict_graph(steps, buffers), options.method);
    return options.paths ? detail::share_on_paths(steps, buffers, options)
                         : detail::share_in_parallel(steps, buffers, options);
}

}  // namespace repebble::inline v0

#endif
