#ifndef REPEBBLE_IMPL_ALLOCATE_ASSIGN_OFFSETS_IPP
#define REPEBBLE_IMPL_ALLOCATE_ASSIGN_OFFSETS_IPP

#include <repebble/allocate/assign_offsets.hpp>

#include <algorithm>
#include <stdexcept>

#include <repebble/allocate/detail/search/portfolio.hpp>
#include <repebble/allocate/detail/shapes/buffer_shapes.hpp>
#include <repebble/allocate/detail/shapes/compact_shapes.hpp>
#include <repebble/allocate/fit_offsets.hpp>
#include <repebble/allocate/verify_offsets.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/detail/limit_test.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE auto assign_offsets(std::span<buffer const> buffers, offset_options const& options)
    -> offset_plan {
    using clock = detail::offset_portfolio::clock;
    detail::offset_portfolio::limits until{.capacity = options.capacity};
    if (options.capacity && *options.capacity < 0)
        detail::raise(bad_buffer("a capacity cannot be negative: " + std::to_string(*options.capacity)));
    auto const by_default = 5e7 + 600 * static_cast<double>(buffers.size());
    auto const share = static_cast<double>(options.limits.work.value_or(offset_options::default_work)) /
                       static_cast<double>(offset_options::default_work);
    until.work = static_cast<std::int64_t>(std::min(share * by_default, 9e18));
    if (auto const seconds = detail::checked_seconds(options.limits))
        until.deadline = until.begin + clock::duration(*seconds);
    if (options.limits.stop) until.stop = &options.limits.stop;
    auto const shapes = detail::shapes_of(buffers);
    detail::require_pins_apart(buffers, [](std::size_t) { return true; });
    auto const c = compact(shapes);
    if (until.deadline) *until.deadline -= 1.5 * (clock::now() - until.begin);  // reserve for the final check
    detail::offset_portfolio portfolio(c, until);
    portfolio.run();

    offset_plan plan{.offsets = offsets_of_buffers(buffers, shapes, c, portfolio.best().offsets)};
    auto const verdict = verify_offsets(buffers, plan.offsets);
    if (verdict.fault) detail::raise(std::logic_error("a plan of offsets is wrong: " + verdict.fault->message));
    plan.height = verdict.height;
    plan.lower_bound = portfolio.lower_bound();
    if (options.capacity && plan.lower_bound > *options.capacity)
        plan.proof = offset_proof::none_exists;
    else if (plan.height <= plan.lower_bound)
        plan.proof = offset_proof::height_least;
    return plan;
}

}  // namespace repebble::inline v0

#endif
