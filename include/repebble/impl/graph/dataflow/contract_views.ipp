#ifndef REPEBBLE_IMPL_GRAPH_DATAFLOW_CONTRACT_VIEWS_IPP
#define REPEBBLE_IMPL_GRAPH_DATAFLOW_CONTRACT_VIEWS_IPP

#include <repebble/graph/dataflow/detail/contract_views.hpp>

#include <algorithm>
#include <cstddef>
#include <span>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto contract_views_fn::operator()(dataflow const& flow, merged_views which) const
    -> contracted_dataflow {
    constexpr auto none = std::numeric_limits<operation_index>::max();
    if (!holds_view(flow)) return unchanged(flow);
    contracted_dataflow result{.original = &flow};
    auto const owner = owners_of_views(flow, which, none);

    result.representative.assign(flow.operation_count(), none);
    std::vector<std::vector<operation_index>> members;
    for (operation_index v = 0; v < flow.operation_count(); ++v)
        if (owner[v] == none) {
            result.representative[v] = static_cast<operation_index>(members.size());
            members.push_back({v});
        }
    for (auto const v : flow.order())  // views after their owners
        if (owner[v] != none) {
            result.representative[v] = result.representative[owner[v]];
            members[result.representative[v]].push_back(v);
        }

    dataflow_builder builder;
    std::vector<value_index> new_value(flow.value_count(), none);
    for (auto const& group : members) {
        std::int64_t time{};
        for (auto const v : group) time = checked_add(time, flow.time(v), "times");
        if (flow.is_input(group.front()))
            builder.add_input();
        else
            builder.add_operation(time, flow.workspace(group.front()), flow.recomputable(group.front()));
        result.members.append(group);
    }
    for (auto const v : flow.order()) {
        if (owner[v] != none) continue;
        for (auto const value : flow.writes(v)) add_value(flow, builder, result, new_value, v, value);
    }
    std::vector<std::vector<value_index>> members_of_value(result.original_value.size());
    for (std::size_t i = 0; i < members_of_value.size(); ++i)
        members_of_value[i].push_back(result.original_value[i]);
    std::vector<std::uint32_t> names(flow.value_count(), 0);
    for (operation_index v = 0; v < flow.operation_count(); ++v) {
        if (owner[v] != none) {
            for (auto const value : flow.writes(v))
                for (auto const owner_value : flow.owners(value))
                    members_of_value[new_value[owner_value]].push_back(value);
            continue;
        }
        for (auto const value : flow.operands(v))
            for_each_name(flow, new_value, value,
                          [&](value_index name) { builder.add_read(result.representative[v], name); });
        add_overwrites(flow, builder, result, new_value, names, v);
    }
    for (operation_index v = 0; v < flow.operation_count(); ++v)
        for (auto const u : flow.control_predecessors(v))
            if (result.representative[u] != result.representative[v])
                builder.add_control_edge(result.representative[u], result.representative[v]);
    for (auto const value : flow.results())
        for_each_name(flow, new_value, value, [&](value_index name) { builder.add_result(name); });
    for (auto const& row : members_of_value) result.member_values.append(row);
    result.without_views = std::move(builder).build();
    return result;
}

REPEBBLE_INLINE auto contract_views_fn::unchanged(dataflow const& flow) -> contracted_dataflow {
    contracted_dataflow result{.original = &flow};
    result.representative.reserve(flow.operation_count());
    result.members.reserve(flow.operation_count(), flow.operation_count());
    result.original_value.reserve(flow.value_count());
    result.member_values.reserve(flow.value_count(), flow.value_count());
    for (operation_index v = 0; v < flow.operation_count(); ++v) {
        result.representative.push_back(v);
        result.members.append(std::span(&v, 1));
    }
    for (value_index value = 0; value < flow.value_count(); ++value) {
        result.original_value.push_back(value);
        result.member_values.append(std::span(&value, 1));
    }
    return result;
}

REPEBBLE_INLINE auto contract_views_fn::owners_of_views(dataflow const& flow, merged_views which, operation_index none)
    -> std::vector<operation_index> {
    std::vector<operation_index> owner(flow.operation_count(), none);
    std::vector<value_index> reached;
    vertex_set has_alternative(flow.operation_count());  // … for a value that it writes
    for (value_index value = 0; value < flow.value_count(); ++value)
        if (flow.producers(value).size() > 1)
            for (auto const u : flow.producers(value)) has_alternative.insert(u);
    bool const alternatives = !has_alternative.empty();
    for (auto const v : flow.order()) {
        bool fits =
            !flow.reads(v).empty() && !flow.writes(v).empty() && flow.recomputable(v) && flow.workspace(v) == 0;
        fits = fits && flow.control_predecessors(v).empty() && (which == merged_views::all || flow.time(v) == 0);
        // A sink must run; its owner need not where alternatives make it superfluous.
        fits = fits && !(alternatives && flow.is_sink(v));
        operation_index target = none;
        reached.clear();
        for (auto const value : flow.reads(v)) {
            auto const u = flow.producers(value).front();
            auto const root = owner[u] != none ? owner[u] : u;
            fits = fits && (target == none || target == root);
            target = root;
            reached.insert(reached.end(), flow.owners(value).begin(), flow.owners(value).end());
        }
        sort_unique(reached);
        if (!fits) continue;
        if (flow.is_input(target) && flow.time(v) > 0) continue;  // an input takes no time
        fits = !has_alternative.contains(target);
        // Its storages must belong to that operation, which itself may be a view that is not merged.
        for (auto const owner_value : reached) fits = fits && flow.producers(owner_value).front() == target;
        for (auto const value : flow.writes(v))
            fits = fits && flow.is_view(value) && flow.producers(value).size() == 1 &&
                   std::ranges::equal(flow.owners(value), reached);
        if (fits) owner[v] = target;
    }
    return owner;
}

}  // namespace repebble::inline v0::detail

#endif
