#ifndef REPEBBLE_GRAPH_DATAFLOW_CONTRACT_VIEWS_HPP
#define REPEBBLE_GRAPH_DATAFLOW_CONTRACT_VIEWS_HPP

// Contraction of views: each view is merged into the operation that owns its storage, so that planning sees fewer
// operations. `expand_views` translates schedules back. Invariant: both dataflows have the same schedules, up to the
// merged views.

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include <repebble/detail/jagged_array.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0 {

/// A contracted dataflow, and the maps back to the original.
template <quantity Time>
struct contracted_dataflow {
    dataflow<Time> flow;                              ///< the dataflow without its views
    std::vector<operation_index> representative;      ///< contracted operation of every original one
    detail::jagged_array<operation_index> members;    ///< of every contracted operation: the owner, then its views
    detail::jagged_array<value_index> member_values;  ///< of every contracted value: itself, then the views of it
    std::vector<value_index> original_value;          ///< original of every contracted value
};

namespace detail {

struct contract_views_fn {
    template <quantity Time>
    [[nodiscard]] constexpr auto operator()(dataflow<Time> const& flow) const -> contracted_dataflow<Time> {
        constexpr auto none = std::numeric_limits<operation_index>::max();
        contracted_dataflow<Time> result;
        auto const owner = owners_of_views(flow, none);

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

        dataflow_builder<Time> builder;
        std::vector<value_index> new_value(flow.value_count(), none);
        for (auto const& group : members) {
            Time time{};
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
        result.flow = std::move(builder).build();
        return result;
    }

  private:
    /// For each operation: the one into which it is merged, or `none`. A view is merged where all values that it reads
    /// are written by one operation (or by views merged into it) without alternative producers, and where it refers to
    /// all storages of these values and no other. Such a view can be made, and made again, whenever its owner is
    /// resident. It must be recomputable and need no workspace.
    template <quantity Time>
    static constexpr auto owners_of_views(dataflow<Time> const& flow, operation_index none)
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
            fits = fits && flow.control_predecessors(v).empty();
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

    /// Calls f for the contracted value, or for its owners where it is a view that was merged.
    template <quantity Time, class Values, class F>
    static constexpr void for_each_name(dataflow<Time> const& flow, Values const& new_value, value_index value, F&& f) {
        constexpr auto none = std::numeric_limits<operation_index>::max();
        if (new_value[value] != none) {
            f(new_value[value]);
        } else {
            for (auto const owner : flow.owners(value)) f(new_value[owner]);
        }
    }
    /// Mutations, and the overwrites that are possible: of a whole storage that v reads by one name. `names` counts
    /// those, and has zeros before and after.
    template <quantity Time, class Values>
    static constexpr void add_overwrites(dataflow<Time> const& flow, dataflow_builder<Time>& builder,
                                         contracted_dataflow<Time> const& result, Values const& new_value,
                                         std::vector<std::uint32_t>& names, operation_index v) {
        constexpr auto none = std::numeric_limits<operation_index>::max();
        auto const c = result.representative[v];
        auto const name_of = [&](value_index value) {
            return new_value[new_value[value] == none ? flow.owners(value).front() : value];
        };
        for (auto const& m : flow.mutations(v)) builder.add_mutation(c, m.output, name_of(m.over));
        if (flow.allowed_overwrites(v).empty()) return;
        auto const for_each_owner = [&](auto const& f) {
            for (auto const value : flow.reads(v))
                for (auto const owner : flow.owners(value)) f(names[owner]);
        };
        for_each_owner([](std::uint32_t& count) { ++count; });
        for (auto const& o : flow.allowed_overwrites(v)) {
            if (flow.owners(o.over).size() != 1) continue;
            auto const owner = flow.owners(o.over).front();
            if (names[owner] == 1) builder.allow_overwrite(c, o.output, name_of(o.over));
        }
        for_each_owner([](std::uint32_t& count) { count = 0; });
    }

    template <quantity Time, class Values>
    static constexpr void add_value(dataflow<Time> const& flow, dataflow_builder<Time>& builder,
                                    contracted_dataflow<Time>& result, Values& new_value, operation_index v,
                                    value_index value) {
        auto const producer = result.representative[v];
        if (new_value[value] < result.original_value.size()) {
            builder.add_producer(producer, new_value[value]);
            return;
        }
        if (flow.is_view(value)) {
            std::vector<value_index> viewed;
            for (auto const owner_value : flow.owners(value)) viewed.push_back(new_value[owner_value]);
            new_value[value] = builder.add_view(producer, viewed);
        } else {
            new_value[value] = builder.add_value(producer, flow.size(value));
        }
        result.original_value.push_back(value);
    }
};

}  // namespace detail

/// Merges every view into the operation that owns its storage: readers of the view then read the owner's value. Plans
/// lose nothing, for a view takes no bytes and can be made again whenever its owner is resident. Views are not merged
/// that refer to several operations, to one with an alternative, or to a part only of the values they read; nor views
/// that need a workspace, may run only once, follow a control edge, take time and are views of an input or, where there
/// are alternatives at all, are sinks. A result that is a merged view becomes its owners.  O(n + m).
inline constexpr detail::contract_views_fn contract_views{};

}  // namespace repebble::inline v0

#endif
