#ifndef REPEBBLE_GRAPH_LOWER_SETS_DETAIL_CLOSE_LOWER_SETS_HPP
#define REPEBBLE_GRAPH_LOWER_SETS_DETAIL_CLOSE_LOWER_SETS_HPP

// Closure of a family of lower sets under intersection and union, up to a limit. It makes families between the pruned
// one and all lower sets.

#include <cstddef>
#include <unordered_set>
#include <utility>
#include <vector>

#include <repebble/detail/function_ref.hpp>
#include <repebble/detail/never_stop.hpp>
#include <repebble/detail/paced_stop.hpp>
#include <repebble/graph/vertex_set.hpp>

namespace repebble::inline v0::detail {

struct close_lower_sets_fn {
    [[nodiscard]] auto operator()(std::vector<vertex_set> const& sets, std::size_t limit,
                                  stop_test stop = never_stop{}) const -> std::vector<vertex_set>;

  private:
    class collection {
      public:
        collection(std::size_t limit, stop_test stop)
            : limit_(limit), stop_(stop), known_(16, hash{&all_}, equal{&all_}) {}
        collection(collection const&) = delete;
        auto operator=(collection const&) -> collection& = delete;

        [[nodiscard]] auto all() const& -> std::vector<vertex_set> { return all_; }
        [[nodiscard]] auto all() && -> std::vector<vertex_set> { return std::move(all_); }

        /// Adds a set, unless the family has it already or has reached the limit.
        void insert(vertex_set set);
        /// Combines every set with each of the others, in order, until no new set appears.
        template <class Combine>
        void combine(std::vector<vertex_set> const& others, Combine const& both) {
            paced_stop over(stop_);
            for (std::size_t i = 0; i < all_.size() && all_.size() < limit_; ++i)
                for (auto const& other : others) {
                    if (over.after(other.words().size())) return;
                    insert(both(all_[i], other));
                }
        }

      private:
        struct hash {
            std::vector<vertex_set> const* sets;
            auto operator()(std::size_t i) const -> std::size_t;
        };
        struct equal {
            std::vector<vertex_set> const* sets;
            auto operator()(std::size_t i, std::size_t j) const -> bool { return (*sets)[i] == (*sets)[j]; }
        };

        std::size_t limit_;
        stop_test stop_;
        std::vector<vertex_set> all_;
        std::unordered_set<std::size_t, hash, equal> known_;
    };
};

/// The given lower sets, each once, with their intersections and unions (unions of few sets first), up to `limit` sets;
/// intersections and unions of lower sets are lower sets. Without a limit the family is closed: the closure of the
/// pruned family is the family of all lower sets. From when stop() returns true on, no further sets. For graphs with
/// too many lower sets:
///   lower_set_family(problem, close_lower_sets(pruned_lower_sets(problem.graph), 2000)).
/// O(limit · sets · n / 64).  Throws bad_graph where sets are of different graphs.
inline constexpr close_lower_sets_fn close_lower_sets{};

}  // namespace repebble::inline v0::detail

#if !defined(REPEBBLE_SEPARATE_COMPILATION)
#include <repebble/impl/graph/lower_sets/close_lower_sets.ipp>
#endif

#endif
