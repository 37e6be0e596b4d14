#ifndef REPEBBLE_IMPL_ALLOCATE_OVERWRITE_TABLE_IPP
#define REPEBBLE_IMPL_ALLOCATE_OVERWRITE_TABLE_IPP

#include <repebble/allocate/overwrite_table.hpp>

#include <limits>
#include <utility>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0 {

REPEBBLE_INLINE overwrite_table::overwrite_table(std::vector<allowed_overwrite> allowed) : allowed_(std::move(allowed)) {
    std::ranges::sort(allowed_);
    auto const doubles = std::ranges::unique(allowed_);
    allowed_.erase(doubles.begin(), doubles.end());
}

}  // namespace repebble::inline v0

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto contract_overwrites(dataflow const& flow, contracted_dataflow const& contracted,
                                              overwrite_table const& table) -> overwrite_table {
    constexpr auto none = std::numeric_limits<value_index>::max();
    std::vector<value_index> new_value(flow.value_count(), none);
    for (value_index x = 0; x < contracted.original_value.size(); ++x) new_value[contracted.original_value[x]] = x;
    std::vector<allowed_overwrite> allowed;
    for (auto const& [v, output, over] : table.allowed()) {
        auto const c = contracted.representative[v];
        if (contracted.members[c].front() != v || flow.owners(over).size() != 1) continue;
        auto const owner = flow.owners(over).front();
        auto const names =
            std::ranges::count_if(flow.reads(v), [&](auto x) { return std::ranges::count(flow.owners(x), owner) > 0; });
        if (names == 1) allowed.push_back({c, output, new_value[owner]});
    }
    return overwrite_table(std::move(allowed));
}

}  // namespace repebble::inline v0::detail

#endif
