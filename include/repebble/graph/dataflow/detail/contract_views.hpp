#ifndef REPEBBLE_GRAPH_DATAFLOW_DETAIL_CONTRACT_VIEWS_HPP
#define REPEBBLE_GRAPH_DATAFLOW_DETAIL_CONTRACT_VIEWS_HPP

// Contraction of views: each view is merged into the operation that owns its storage, so that planning sees fewer
// operations. `expand_views` translates schedules back. Invariant: both dataflows have the same schedules, up to the
// merged views.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <repebble/detail/jagged_array.hpp>
#include <repebble/graph/dataflow/dataflow.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>

namespace repebble::inline v0::detail {

/// A contracted dataflow, and the maps back to the original, which must outlive it: where that holds no view, it is the
/// contracted one, too, and not copied.
struct contracted_dataflow {
    dataflow const* original = nullptr;             ///< with its views
    std::optional<dataflow> without_views{};        ///< none where there is no view
    std::vector<operation_index> representative{};  ///< contracted operation of every original one
    jagged_array<operation_index> members{};        ///< of every contracted operation: the owner, then its views
    jagged_array<value_index> member_values{};      ///< of every contracted value: itself, then the views of it
    std::vector<value_index> original_value{};      ///< original of every contracted value

    /// The dataflow without its views.
    [[nodiscard]] auto flow() const noexcept -> dataflow const& { return without_views ? *without_views : *original; }
};

/// Which views are merged.
enum class merged_views : std::uint8_t {
    all,
    free  ///< those that take no time
};

/// Whether a value is a view.
[[nodiscard]] inline auto holds_view(dataflow const& flow) -> bool {
    for (value_index value = 0; value < flow.value_count(); ++value)
        if (flow.is_view(value)) return true;
    return false;
}

struct contract_views_fn {
    [[nodiscard]] auto operator()(dataflow const& flow, merged_views which = merged_views::all) const
        -> contracted_dataflow;

  private:
    static auto unchanged(dataflow const& flow) -> contracted_dataflow;
    /// For each operation: the one into which it is merged, or `none`. A view is merged where all values that it reads
    /// are written by one operation (or by views merged into it) without alternative producers, and where it refers to
    /// all storages of these values and no other. Such a view can be made, and made again, whenever its owner is
    /// resident. It must be recomputable and need no workspace.
    static auto owners_of_views(dataflow const& flow, merged_views which, operation_index none)
        -> std::vector<operation_index>;

    /// Calls f for the contracted value, or for its owners where it is a view that was merged.
    template <class Values, class F>
    static constexpr void for_each_name(dataflow const& flow, Values const& new_value, value_index value, F&& f) {
        constexpr auto none = std::numeric_limits<operation_index>::max();
        if (new_value[value] != none) {
            f(new_value[value]);
        } else {
            for (auto const owner : flow.owners(value)) f(new_value[owner]);
        }
    }
    /// Mutations, and the overwrites that are possible: of a whole storage that v reads by one name. `names` counts
    /// those, and has zeros before and after.
    template <class Values>
    static constexpr void add_overwrites(dataflow const& flow, dataflow_builder& builder,
                                         contracted_dataflow const& result, Values const& new_value,
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

    template <class Values>
    static constexpr void add_value(dataflow const& flow, dataflow_builder& builder, contracted_dataflow& result,
                                    Values& new_value, operation_index v, value_index value) {
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

/// Merges every view into the operation that owns its storage: readers of the view then read the owner's value. Plans
/// lose nothing, for a view takes no bytes and can be made again whenever its owner is resident. Views are not merged
/// that refer to several operations, to one with an alternative, or to a part only of the values they read; nor views
/// that need a workspace, may run only once, follow a control edge, take time and are views of an input or, where there
/// are alternatives at all, are sinks. A result that is a merged view becomes its owners.  O(n + m).
inline constexpr contract_views_fn contract_views{};

/// Whether an operation may overwrite a storage whose value can be computed again and has views: then one computation
/// may be overwritten while another stays, one of them by a view. Contracted views do not tell.  O(n + m).
[[nodiscard]] inline auto may_overwrite_viewed(dataflow const& flow) -> bool {
    std::vector<bool> viewed(flow.value_count(), false);
    for (value_index x = 0; x < flow.value_count(); ++x)
        for (auto const owner : flow.owners(x)) viewed[owner] = viewed[owner] || flow.is_view(x);
    auto const is_such = [&](overwrite const& o) {
        return std::ranges::any_of(flow.owners(o.over), [&](value_index owner) {
            return viewed[owner] && flow.size(owner) > 0 &&
                   std::ranges::any_of(flow.producers(owner), [&](auto u) { return flow.recomputable(u); });
        });
    };
    for (operation_index v = 0; v < flow.operation_count(); ++v)
        if (std::ranges::any_of(flow.mutations(v), is_such) || std::ranges::any_of(flow.allowed_overwrites(v), is_such))
            return true;
    return false;
}

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/graph/dataflow/contract_views.ipp>
#endif

#endif
