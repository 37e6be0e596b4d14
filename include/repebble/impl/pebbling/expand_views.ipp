#ifndef REPEBBLE_IMPL_PEBBLING_EXPAND_VIEWS_IPP
#define REPEBBLE_IMPL_PEBBLING_EXPAND_VIEWS_IPP

#include <repebble/pebbling/detail/expand_views.hpp>

#include <algorithm>
#include <span>
#include <vector>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto expand_views(dataflow const& flow, contracted_dataflow const& contracted,
                                          schedule<> plan) -> schedule<> {
    if (!holds_view(flow)) return plan;
    schedule_builder out(flow);
    vertex_set resident(flow.value_count());  // values in the device pool
    auto const put = [&](operation_index v) {
        for (auto const value : flow.writes(v)) resident.insert(value);
    };
    // The views of a value are discarded before it: its storage is free when the value itself is discarded.
    auto const discard_names = [&](std::span<value_index const> names, std::span<value_index const> but) {
        for (auto const name : names) {
            if (!resident.contains(name) || std::ranges::binary_search(but, name)) continue;
            out.discard(name);
            resident.erase(name);
        }
    };
    // Views of inputs are made when all inputs are present.
    std::vector<operation_index> waiting;
    auto const make_views = [&](std::span<operation_index const> views) {
        for (auto const view : views) {
            out.compute(view);
            put(view);
        }
    };
    // Views of what is copied in are made before the next computation that reads any of them, so that no other
    // computation waits for the copy.
    std::vector<operation_index> copied_in;
    auto const make_missing = [&](operation_index owner) {
        for (auto const view : contracted.members[owner].subspan(1)) {
            auto const made = flow.writes(view).front();  // all of them have the same owners
            bool can_run = !resident.contains(made);
            for (auto const viewed : flow.owners(made)) can_run = can_run && resident.contains(viewed);
            if (!can_run) continue;
            out.compute(view);
            put(view);
        }
    };
    auto const make_missing_for = [&](operation_index v) {
        std::erase_if(copied_in, [&](operation_index owner) {
            auto const reads = contracted.flow().reads(v);
            auto const writes = contracted.flow().writes(owner);
            if (std::ranges::find_first_of(reads, writes) == reads.end()) return false;
            make_missing(owner);
            return true;
        });
    };
    for (auto const& s : plan.steps) {
        bool const of_input = s.what == action::compute && contracted.flow().is_input(s.vertex);
        if (!of_input) {
            make_views(waiting);
            waiting.clear();
        }
        auto const owner = contracted.members[s.vertex].front();
        auto const value_of_step = [&] { return contracted.flow().writes(s.vertex)[s.output]; };
        switch (s.what) {
            case action::compute:
                if (!copied_in.empty()) make_missing_for(s.vertex);
                for (auto const value : contracted.flow().ended(s.vertex)) {
                    auto const names = contracted.member_values[value];
                    discard_names(names, flow.reads(owner));
                    for (auto const name : names) resident.erase(name);
                }
                if (s.in_place) {
                    // The value is overwritten under the name by which it is read, which may be a view's.
                    auto const names = contracted.member_values[contracted.flow().writes(s.over)[s.over_output]];
                    auto const read = std::ranges::find_first_of(names, flow.reads(owner));
                    auto const over = read == names.end() ? names.front() : *read;
                    discard_names(names, read == names.end() ? names.first(1) : flow.reads(owner));
                    out.compute_in_place(owner, s.output, over);
                    resident.erase(over);
                } else {
                    out.compute(owner);
                }
                put(owner);
                if (auto const views = contracted.members[s.vertex].subspan(1); of_input)
                    waiting.insert(waiting.end(), views.begin(), views.end());
                else
                    make_views(views);
                break;
            case action::discard:
                if (s.from == pool::device) {
                    auto const names = contracted.member_values[value_of_step()];
                    discard_names(names, names.first(1));
                    resident.erase(names.front());
                }
                out.discard(contracted.original_value[value_of_step()], s.from);
                break;
            case action::offload:
                out.offload(contracted.original_value[value_of_step()]);
                break;
            case action::prefetch:
                out.prefetch(contracted.original_value[value_of_step()]);
                resident.insert(contracted.original_value[value_of_step()]);
                copied_in.push_back(s.vertex);
                break;
        }
    }
    make_views(waiting);
    for (auto const owner : copied_in) make_missing(owner);
    return std::move(out).finish();
}

}  // namespace repebble::inline v0::detail

#endif
