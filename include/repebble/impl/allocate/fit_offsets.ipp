#ifndef REPEBBLE_IMPL_ALLOCATE_FIT_OFFSETS_IPP
#define REPEBBLE_IMPL_ALLOCATE_FIT_OFFSETS_IPP

#include <repebble/allocate/fit_offsets.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include <repebble/allocate/verify_offsets.hpp>
#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_by.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto place_in_order(compact_shapes const& c, occupied_bytes& occupied,
                                    std::span<std::uint32_t const> order, fit_rule rule, bytes enough, stop_test stop)
    -> shape_offsets {
    constexpr std::size_t often = 16;
    shape_offsets found{std::vector<bytes>(c.count()), 0};
    occupied.clear();
    // If all offsets are multiples of one number, the bytes up to the next multiple are useless: occupied too, they
    // join the intervals above and below. With gaps a window can begin anywhere.
    bytes unit = 0;
    for (auto const alignment : c.alignment) unit = std::gcd(unit, alignment);
    auto const place = [&](std::size_t s, bytes offset) {
        found.offsets[s] = offset;
        found.height = std::max(found.height, offset + c.size[s]);
        if (c.plain && unit > 1) {
            auto padded = c.pieces_of(s).front();
            padded.upper = aligned(padded.upper, unit);
            occupied.take({&padded, 1}, offset);
        } else {
            occupied.take(c.pieces_of(s), offset);
        }
    };
    for (std::size_t s = 0; s < c.count(); ++s)
        if (c.pinned[s] != compact_shapes::nowhere) place(s, c.pinned[s]);
    for (std::size_t k = 0; k < order.size() && found.height < enough; ++k) {
        if (k % often == 0 && stop()) {
            place_in_turn(c, order.subspan(k), found);
            break;
        }
        auto const s = order[k];
        if (c.pinned[s] != compact_shapes::nowhere) continue;
        auto const pieces = c.pieces_of(s);
        place(s, rule == fit_rule::first ? occupied.first_fit(pieces, c.alignment[s])
                                         : occupied.best_fit(pieces, c.alignment[s]));
    }
    return found;
}

REPEBBLE_INLINE void place_in_turn(compact_shapes const& c, std::span<std::uint32_t const> shapes,
                                   shape_offsets& plan) {
    struct event {
        std::uint32_t section, shape;
        bool begins;
    };
    std::vector<event> events;
    for (auto const s : shapes)
        if (c.pinned[s] == compact_shapes::nowhere)
            for (bool const begins : {false, true}) events.push_back({begins ? c.begin_of(s) : c.end_of(s), s, begins});
    sort_by(events, [](event const& a, event const& b) {
        return std::tuple(a.section, a.begins, a.shape) < std::tuple(b.section, b.begins, b.shape);
    });
    std::map<bytes, bytes> end_of{{plan.height, std::numeric_limits<bytes>::max()}};  // of each free interval
    std::set<std::pair<bytes, bytes>> by_size{{std::numeric_limits<bytes>::max() - plan.height, plan.height}};
    auto const add = [&](bytes begin, bytes end) {
        if (begin == end) return;
        end_of[begin] = end;
        by_size.emplace(end - begin, begin);
    };
    auto const take = [&](bytes begin) {
        auto const found = end_of.find(begin);
        auto const end = found->second;
        by_size.erase({end - begin, begin});
        end_of.erase(found);
        return end;
    };
    for (auto const& e : events) {
        if (e.begins) {
            auto const begin = by_size.lower_bound({c.size[e.shape] + c.alignment[e.shape] - 1, 0})->second;
            auto const end = take(begin);
            auto const offset = plan.offsets[e.shape] = aligned(begin, c.alignment[e.shape]);
            add(begin, offset);
            add(offset + c.size[e.shape], end);
            plan.height = std::max(plan.height, offset + c.size[e.shape]);
            continue;
        }
        auto begin = plan.offsets[e.shape], end = begin + c.size[e.shape];
        auto const after = end_of.lower_bound(begin);
        auto const before = after == end_of.begin() ? end_of.end() : std::prev(after);
        auto const joins = after != end_of.end() && after->first == end;
        if (before != end_of.end() && before->second == begin) begin = before->first;
        if (joins) end = take(end);
        if (begin != plan.offsets[e.shape]) take(begin);
        add(begin, end);
    }
}

REPEBBLE_INLINE void require_pins_apart(std::span<buffer const> buffers, function_ref<bool(std::size_t)> is_in) {
    std::vector<buffer> pinned;
    std::vector<std::size_t> numbers, at(buffers.size());
    std::vector<bytes> offsets;
    for (bool const aliases : {false, true})
        for (std::size_t i = 0; i < buffers.size(); ++i) {
            auto const root = buffers[i].alias_of;
            if (root.has_value() != aliases || !buffers[root.value_or(i)].pinned || !is_in(i)) continue;
            at[i] = pinned.size();
            pinned.push_back(buffers[i]);
            if (root) pinned.back().alias_of = at[*root];
            numbers.push_back(i);
            offsets.push_back(*buffers[root.value_or(i)].pinned);
        }
    if (pinned.empty()) return;
    if (auto const fault = verify_offsets(pinned, offsets).fault; fault && fault->second)
        detail::raise(bad_buffer("buffers " + std::to_string(numbers[fault->first]) + " and " +
                                 std::to_string(numbers[*fault->second]) + " overlap where they are pinned"));
}

REPEBBLE_INLINE auto offsets_of_buffers(std::span<buffer const> buffers, buffer_shapes const& shapes,
                                        compact_shapes const& c, std::span<bytes const> offsets) -> std::vector<bytes> {
    std::vector<bytes> by_shape(shapes.shapes.size());
    for (std::size_t s = 0; s < by_shape.size(); ++s) by_shape[s] = shapes.shapes[s].pinned.value_or(0);
    for (std::size_t s = 0; s < c.count(); ++s) by_shape[c.origin[s]] = offsets[s];
    std::vector<bytes> by_buffer(buffers.size());
    for (std::size_t i = 0; i < buffers.size(); ++i) by_buffer[i] = by_shape[shapes.shape_of[i]];
    return by_buffer;
}

}  // namespace repebble::inline v0::detail

namespace repebble::inline v0 {

REPEBBLE_INLINE auto fit_offsets(std::span<buffer const> buffers, fit_options const& options) -> std::vector<bytes> {
    auto const shapes = detail::shapes_of(buffers);
    detail::require_pins_apart(buffers, [](std::size_t) { return true; });
    auto const c = compact(shapes);
    detail::occupied_bytes occupied(c.sections());
    auto const sequence = ordered(c, detail::loads_of(c), options.order);
    auto const found = detail::place_in_order(c, occupied, sequence, options.rule);
    return detail::offsets_of_buffers(buffers, shapes, c, found.offsets);
}

}  // namespace repebble::inline v0

#endif
