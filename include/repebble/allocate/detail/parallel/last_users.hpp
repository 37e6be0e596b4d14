#ifndef REPEBBLE_ALLOCATE_DETAIL_PARALLEL_LAST_USERS_HPP
#define REPEBBLE_ALLOCATE_DETAIL_PARALLEL_LAST_USERS_HPP

// A map from bytes to the buffer that used them last. `find_race` and `find_sharing_dependencies` feed it the buffers
// by begin: precedence is transitive along the chain of users of a byte, so that only consecutive users need to be
// compared.

#include <cstddef>
#include <iterator>
#include <map>

#include <repebble/allocate/buffer.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// The last user of every byte, as disjoint segments.
class last_users {
  public:
    /// Assigns bytes to a user and calls f(former) for every former user of any of them, possibly repeatedly.
    template <class F>
    void take(interval const& part, std::size_t user, F&& f) {
        split(part.lower);
        split(part.upper);
        auto const first = segments_.lower_bound(part.lower);
        auto const last = segments_.lower_bound(part.upper);
        for (auto at = first; at != last; ++at) f(at->second.user);
        segments_.emplace_hint(segments_.erase(first, last), part.lower, segment{part.upper, user});
    }

  private:
    struct segment {
        bytes end;
        std::size_t user;
    };
    void split(bytes where) {
        auto const after = segments_.lower_bound(where);
        if (after == segments_.begin()) return;
        auto& [end, user] = std::prev(after)->second;
        if (end <= where) return;
        segments_.emplace_hint(after, where, segment{end, user});
        end = where;
    }
    std::map<bytes, segment> segments_{};  // by first byte
};

}  // namespace repebble::inline v0::detail

#endif
