#ifndef REPEBBLE_TREEWIDTH_DETAIL_ORDERS_ELIMINATION_SEARCH_HPP
#define REPEBBLE_TREEWIDTH_DETAIL_ORDERS_ELIMINATION_SEARCH_HPP

// Options of the portfolio of elimination heuristics, shared by `best_elimination` and the searcher behind it.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

namespace repebble::inline v0::detail {

/// Limits and seeds of the portfolio.
struct elimination_search {
    /// Seconds after which the best order so far is returned; a first order by minimum fill may take
    /// a second more. Without a limit, equal calls return equal orders.
    std::optional<double> time_limit{};
    std::size_t starts = 24;  ///< starting orders, at most
    std::size_t rounds = 50;  ///< of local improvement without gain that end it; with a time limit restarts follow
    std::size_t low = 0;      ///< a proven lower bound on the treewidth: an order of that width ends the search
    std::uint64_t seed = 1;   ///< of random ties and separators
    std::size_t threads = 1;  ///< including the caller's; the result is the same for any number
    std::function<bool()> const* stop = nullptr;  ///< asked now and then by the calling thread; true ends the search
};

}  // namespace repebble::inline v0::detail

#endif
