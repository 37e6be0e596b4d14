// The backward pass of a forward graph, built.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <repebble/graph/error.hpp>
#include <repebble/graph/training/gradient_needs.hpp>
#include <repebble/graph/training/make_training_graph.hpp>

#include "problem.hpp"

namespace repebble_python {

using repebble::operation_index;

auto problem::gradients(std::vector<index_list> const& needs, std::vector<int> const& passes,
                        repebble::convention how) const -> gradient_pass {
    auto const operations = of_.times.size();
    repebble::gradient_needs rows;
    for (std::size_t v = 0; v < operations; ++v) {
        if (!of_.mutates[v].empty())
            throw repebble::bad_graph(operation_name(v) + " mutates values: its gradient cannot be built");
        std::vector<repebble::value_index> row;
        for (auto const value : needs[v]) {
            if (std::ranges::find(of_.reads[v], value) == of_.reads[v].end() &&
                std::ranges::find(of_.writes[v], value) == of_.writes[v].end())
                throw repebble::bad_graph("the gradient of " + operation_name(v) + " reads value " +
                                          std::to_string(value) + ", which its operation neither reads nor writes");
            if (auto const found = *base_[static_cast<std::size_t>(value)]; found != none) row.push_back(found);
        }
        std::ranges::sort(row);
        row.erase(std::ranges::unique(row).begin(), row.end());
        rows.append(row);
    }
    std::vector<repebble::value_index> values_without;
    for (std::size_t value = 0; value < flow_.value_count(); ++value)
        if (passes[graph_value_[value]] == 0) values_without.push_back(static_cast<repebble::value_index>(value));
    std::vector<operation_index> operations_without;
    for (operation_index v = 0; v < operations; ++v)
        if (!of_.writes[v].empty() && std::ranges::none_of(of_.writes[v], [&](auto value) {
                return passes[static_cast<std::size_t>(value)] != 0;
            }))
            operations_without.push_back(v);
    auto const built = [&] {
        try {
            return repebble::make_training_graph(flow_, rows, how, {}, {}, operations_without, values_without);
        } catch (repebble::bad_graph const& e) {
            throw repebble::bad_graph(renamed(e.what()));
        }
    }();
    // Forward values first, in an order of its own, then the gradients.
    auto const& flow = built.flow;
    std::vector<std::int64_t> number(flow.value_count());
    for (std::size_t v = 0; v < operations; ++v)
        for (std::size_t j = 0; j < flow_.writes(v).size(); ++j)
            number[flow.writes(v)[j]] = static_cast<std::int64_t>(graph_value_[flow_.writes(v)[j]]);
    gradient_pass made;
    for (auto value = flow_.value_count(); value < flow.value_count(); ++value) {
        number[value] = static_cast<std::int64_t>(of_.sizes.size() + made.sizes.size());
        made.sizes.push_back(flow.size(value));
    }
    for (auto v = operations; v < flow.operation_count(); ++v) {
        auto const& origin = built.origin[v];
        auto& to = made.operations.emplace_back(gradient_operation{.of = origin.vertex});
        if (origin.pass == repebble::pass::accumulate) to.adds = origin.part;
        for (auto const value : flow.reads(v)) to.reads.push_back(number[value]);
        for (auto const value : flow.writes(v)) to.writes.push_back(number[value]);
    }
    return made;
}

}  // namespace repebble_python
