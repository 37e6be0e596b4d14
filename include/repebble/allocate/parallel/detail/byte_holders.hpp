#ifndef REPEBBLE_ALLOCATE_PARALLEL_DETAIL_BYTE_HOLDERS_HPP
#define REPEBBLE_ALLOCATE_PARALLEL_DETAIL_BYTE_HOLDERS_HPP

#include <cstddef>
#include <iterator>
#include <map>

#include <repebble/allocate/buffer.hpp>
#include <repebble/graph/quantity.hpp>

namespace repebble::inline v0::detail {

/// Who had every byte last: a plan of offsets, walked through in the order of time, hands bytes from one to the next.
/// All that is asked of two buffers with common bytes, and that follows along such chains, needs to be asked of those
/// between whom bytes change hands only.
class byte_holders {
  public:
    /// Gives bytes to a holder and calls f(former) for everyone who had some of them, also more than once.
    template <class F>
    void take(interval const& part, std::size_t holder, F&& f) {
        split(part.lower);
        split(part.upper);
        auto const first = segments_.lower_bound(part.lower);
        auto const last = segments_.lower_bound(part.upper);
        for (auto at = first; at != last; ++at) f(at->second.holder);
        segments_.emplace_hint(segments_.erase(first, last), part.lower, segment{part.upper, holder});
    }

  private:
    struct segment {
        bytes end;
        std::size_t holder;
    };
    void split(bytes where) {
        auto const after = segments_.lower_bound(where);
        if (after == segments_.begin()) return;
        auto& [end, holder] = std::prev(after)->second;
        if (end <= where) return;
        segments_.emplace_hint(after, where, segment{end, holder});
        end = where;
    }
    std::map<bytes, segment> segments_{};  // by where they begin
};

}  // namespace repebble::inline v0::detail

#endif
