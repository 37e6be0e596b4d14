#ifndef REPEBBLE_IMPL_ALLOCATE_STEP_GRAPH_IPP
#define REPEBBLE_IMPL_ALLOCATE_STEP_GRAPH_IPP

#include <repebble/allocate/step_graph.hpp>

#include <utility>

#include <repebble/detail/separate_compilation.hpp>
#include <repebble/detail/sort_unique.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto step_tracer::trace() && -> step_graph {
    for (now_ = 0; now_ < plan_.steps.size(); ++now_) {
        auto const& s = plan_.steps[now_];
        if (s.what == action::compute) {
            compute(s);
            continue;
        }
        auto const value = flow_.writes(s.vertex)[s.output];
        if (s.what == action::offload) {
            read(value);
            host_written_[value] = now_;
        } else if (s.what == action::prefetch) {
            wait_for(host_written_[value]);
            static_cast<void>(walk_.prefetch(value));
            begin_buffers();
            written_[value] = now_;
        }
    }
    sort_unique(edges_);
    return {{plan_.steps.size(), edges_}, std::move(touches_)};
}

REPEBBLE_INLINE void step_tracer::compute(step<> const& s) {
    for (auto const value : flow_.reads(s.vertex)) read(value);
    for (auto const u : flow_.control_predecessors(s.vertex)) wait_for(first_run_[u]);
    if (s.repetition == 0) first_run_[s.vertex] = now_;
    auto const done = walk_.compute(s);
    for (auto const b : done.overwritten) overwrite(b);
    begin_buffers();
    for (auto const value : flow_.writes(s.vertex)) written_[value] = now_;
}

REPEBBLE_INLINE void step_tracer::overwrite(buffer_index b) {
    for (auto k = last_write_[b]; k < touches_[b].size(); ++k) wait_for(touches_[b][k]);
    touch(b);
    last_write_[b] = touches_[b].size() - 1;
}

}  // namespace repebble::inline v0::detail

#endif
