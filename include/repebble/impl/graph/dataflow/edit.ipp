#ifndef REPEBBLE_IMPL_GRAPH_DATAFLOW_EDIT_IPP
#define REPEBBLE_IMPL_GRAPH_DATAFLOW_EDIT_IPP

#include <repebble/graph/dataflow/edit.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <repebble/detail/raise.hpp>
#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_unique.hpp>
#include <repebble/graph/dataflow/dataflow_builder.hpp>
#include <repebble/graph/dataflow/usable_overwrites.hpp>
#include <repebble/graph/error.hpp>

namespace repebble::inline v0 {

namespace detail {

/// Makes the changes to one dataflow.
class dataflow_editor {
  public:
    explicit dataflow_editor(dataflow& flow) : flow_(flow) {}

    void reweigh(std::vector<std::int64_t> const& times, std::vector<bytes> const& workspaces);
    void add_results(std::vector<value_index> const& results);
    void run_once(std::vector<operation_index> const& operations);
    template <class Rule>
    void allow(Rule const& may_overwrite);
    void leave_out_inputs();
    void align(bytes alignment);
    void count_time() { flow_.time_once_ = dataflow_builder::least_time(flow_); }

  private:
    void check_size(std::size_t given, char const* what) const;

    dataflow& flow_;
};

REPEBBLE_INLINE void dataflow_editor::check_size(std::size_t given, char const* what) const {
    if (given != 0 && given != flow_.operation_count())
        detail::raise(bad_graph(std::string(what) + " of " + std::to_string(given) +
                                " operations are given: there are " + std::to_string(flow_.operation_count())));
}

REPEBBLE_INLINE void dataflow_editor::reweigh(std::vector<std::int64_t> const& times,
                                              std::vector<bytes> const& workspaces) {
    check_size(times.size(), "times");
    check_size(workspaces.size(), "workspaces");
    auto const named = [](char const* weight, std::size_t v) {
        return std::string(weight) + " of operation " + std::to_string(v);
    };
    auto const check = [&](char const* weight, std::size_t v, std::int64_t given) {
        check_weight(given, [&] { return named(weight, v); });
        if (given != 0 && flow_.is_input(v))
            detail::raise(bad_weight(named(weight, v) + " is " + std::to_string(given) + ": it is an input, and has none"));
    };
    for (std::size_t v = 0; v < times.size(); ++v) {
        check("time", v, times[v]);
        flow_.operations_[v].time = times[v];
    }
    for (std::size_t v = 0; v < workspaces.size(); ++v) {
        check("workspace", v, workspaces[v]);
        flow_.operations_[v].workspace = workspaces[v];
    }
    if (times.empty() && workspaces.empty()) return;
    dataflow_builder::check_total(flow_.sizes_, flow_.operations_, flow_.writes_);
}

REPEBBLE_INLINE void dataflow_editor::add_results(std::vector<value_index> const& results) {
    for (auto const value : results)
        if (value >= flow_.value_count())
            detail::raise(bad_graph("value " + std::to_string(value) + " is named as a result: there are " +
                                    std::to_string(flow_.value_count())));
    flow_.results_.insert(flow_.results_.end(), results.begin(), results.end());
    sort_unique(flow_.results_);
    dataflow_builder::check_results(flow_);
}

REPEBBLE_INLINE void dataflow_editor::run_once(std::vector<operation_index> const& operations) {
    for (auto const v : operations) {
        if (v >= flow_.operation_count())
            detail::raise(bad_graph("operation " + std::to_string(v) + " is to run once: there are " +
                                    std::to_string(flow_.operation_count())));
        flow_.operations_[v].recomputable = false;
    }
}

template <class Rule>
void dataflow_editor::allow(Rule const& may_overwrite) {
    jagged_array<overwrite> allowed;
    std::vector<overwrite> row;
    for (operation_index v = 0; v < flow_.operation_count(); ++v) {
        row.assign(flow_.allowed_overwrites(v).begin(), flow_.allowed_overwrites(v).end());
        for (std::uint32_t j = 0; j < flow_.writes(v).size(); ++j)
            for (auto const over : flow_.reads(v)) {
                bool const new_pair = std::ranges::find(row, overwrite{j, over}) == row.end();
                if (!flow_.is_view(flow_.writes(v)[j]) && new_pair && may_overwrite(v, j, over))
                    row.push_back({j, over});
            }
        allowed.append(row);
    }
    flow_.allowed_ = std::move(allowed);
}

REPEBBLE_INLINE void dataflow_editor::leave_out_inputs() {
    auto const first = firsts_in_storage(flow_);
    for (value_index x = 0; x < flow_.value_count(); ++x)
        if (flow_.is_input(flow_.producers(first[x]).front())) flow_.sizes_[x] = 0;
}

REPEBBLE_INLINE void dataflow_editor::align(bytes alignment) {
    if (alignment < 1)
        detail::raise(bad_weight("sizes are to be multiples of " + std::to_string(alignment) + ", which is below 1"));
    if (alignment == 1) return;
    auto const round = [&](bytes& size) {
        if (auto const over = size % alignment; over > 0) size = checked_add(size, alignment - over, "aligned sizes");
    };
    for (auto& size : flow_.sizes_) round(size);  // a view has none
    for (auto& operation : flow_.operations_) round(operation.workspace);
    dataflow_builder::check_total(flow_.sizes_, flow_.operations_, flow_.writes_);
}

}  // namespace detail

REPEBBLE_INLINE auto edit(dataflow flow, dataflow_changes const& changes) -> dataflow {
    detail::dataflow_editor editor(flow);
    editor.reweigh(changes.times, changes.workspaces);
    if (!changes.results.empty()) editor.add_results(changes.results);
    if (!changes.times.empty() || !changes.results.empty()) editor.count_time();
    editor.run_once(changes.run_once);
    if (changes.may_overwrite) editor.allow(changes.may_overwrite);
    if (changes.inputs_outside) editor.leave_out_inputs();
    editor.align(changes.alignment);
    return flow;
}

}  // namespace repebble::inline v0

#endif
