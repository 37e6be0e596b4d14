// Pipelines of range-v3 over what repebble finds: lower sets, orders, steps of a schedule, lifetimes, bags.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <vector>

#include <range/v3/algorithm/max.hpp>
#include <range/v3/numeric/accumulate.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/range/primitives.hpp>
#include <range/v3/view/all.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/iota.hpp>
#include <range/v3/view/map.hpp>
#include <range/v3/view/reverse.hpp>
#include <range/v3/view/take.hpp>
#include <range/v3/view/transform.hpp>

#include <repebble/allocate/lifetimes.hpp>
#include <repebble/decomposition/find_elimination_order.hpp>
#include <repebble/decomposition/tree_decomposition.hpp>
#include <repebble/graph/adapt/nested_range.hpp>
#include <repebble/graph/training/make_training_graph.hpp>
#include <repebble/recompute/forget_all.hpp>
#include <repebble/views/bags.hpp>
#include <repebble/views/lifetimes.hpp>
#include <repebble/views/lower_sets.hpp>
#include <repebble/views/members.hpp>
#include <repebble/views/steps.hpp>
#include <repebble/views/topological_order.hpp>

int main() {
    namespace views = repebble::views;
    // Operation 0 is read by two branches, 1 -> 2 and 3; 4 reads both. Each value takes one byte.
    std::vector<std::vector<int>> const net{{1, 3}, {2}, {4}, {4}, {}};

    // The first lower sets of two operations, each with the sum of its members' numbers.
    auto const sum = [](repebble::vertex_set const& set) {
        return ranges::accumulate(views::members(set), std::size_t{0});
    };
    auto const sums = views::lower_sets(net) | ranges::views::filter([](auto const& set) { return set.size() == 2; }) |
                      ranges::views::transform(sum) | ranges::to<std::vector>();
    std::cout << "lower sets of two:" << ranges::views::all(sums) << '\n';

    auto const last = views::topological_order(net, repebble::order_rule::latest) | ranges::views::reverse |
                      ranges::views::take(2) | ranges::to<std::vector>();
    std::cout << "last two of the order: " << ranges::views::all(last) << '\n';

    // What a schedule computes again, in the caller's vertices.
    auto const training = repebble::make_training_graph(net, repebble::weights{repebble::unit_weight{}});
    auto const made = repebble::forget_all(training);
    auto const& schedule = made.schedule;
    auto const origin = [&](repebble::operation_index v) { return training.origin[v].vertex; };
    auto const again = views::steps(schedule) | views::recomputes | views::vertices | ranges::views::transform(origin) |
                       ranges::to<std::vector>();
    std::cout << "computed again: " << ranges::views::all(again) << '\n';

    // The bytes that are live at each step, and how many buffers could not share an address.
    auto const found = repebble::find_lifetimes(training.flow, schedule);
    auto const live = [&](std::int64_t step) {
        auto sizes = views::lifetimes(found) | views::live_at(step) | ranges::views::keys |
                     ranges::views::transform(&repebble::buffer::size);
        return ranges::accumulate(sizes, repebble::bytes{0});
    };
    auto const steps = static_cast<std::int64_t>(schedule.steps.size());
    auto const peak = ranges::max(ranges::views::iota(std::int64_t{0}, steps) | ranges::views::transform(live));
    auto const conflicts = ranges::distance(views::overlapping(found.buffers));
    std::cout << "peak " << peak << " bytes, " << conflicts << " pairs of buffers overlap\n";

    // The largest bag, and the separators that tell the branches apart.
    auto const d = repebble::make_tree_decomposition(repebble::undirected_graph::of(net),
                                                     repebble::find_elimination_order(net).order);
    auto const width = ranges::max(views::bags(d) | ranges::views::transform(&std::vector<std::uint32_t>::size)) - 1;
    std::cout << "width " << width << ", separators:";
    for (auto&& separator : views::separators(d)) std::cout << ' ' << separator;
    std::cout << '\n';

    bool const as_told = sums == std::vector<std::size_t>{1, 3} && last == std::vector<int>{4, 3} &&
                         peak == made.cost.peak && again.size() == made.cost.recomputations && width == d.width();
    return as_told ? 0 : 1;
}
