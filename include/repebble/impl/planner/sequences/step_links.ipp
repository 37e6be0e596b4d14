#ifndef REPEBBLE_IMPL_PLANNER_SEQUENCES_STEP_LINKS_IPP
#define REPEBBLE_IMPL_PLANNER_SEQUENCES_STEP_LINKS_IPP

#include <repebble/planner/detail/sequences/step_links.hpp>

#include <cstdint>
#include <limits>

#include <repebble/detail/separate_compilation.hpp>

namespace repebble::inline v0::detail {

REPEBBLE_INLINE auto step_links::add(operation_index v) -> step_id {
    if (!unused_[v].empty()) {
        auto const i = unused_[v].back();
        unused_[v].pop_back();
        return i;
    }
    steps_.push_back({v, std::vector<step_id>(model_->reads[v].size(), memory_profile::none),
                      std::vector<output>(model_->writes[v].size())});
    return static_cast<step_id>(steps_.size() - 1);
}

REPEBBLE_INLINE auto last_reader(memory_profile const& profile, step_links::output const& read,
                                 memory_profile::node source, memory_profile::node end) -> memory_profile::node {
    auto last = source;
    auto most = profile.position(source);
    auto const limit = end == memory_profile::none ? std::numeric_limits<std::uint64_t>::max() : profile.position(end);
    for (auto const r : read.readers) {
        auto const at = profile.position(r);
        if (at >= limit || at <= most) continue;
        most = at;
        last = r;
    }
    return last;
}

}  // namespace repebble::inline v0::detail

#endif
