#ifndef REPEBBLE_GRAPH_NO_PROGRESS_HPP
#define REPEBBLE_GRAPH_NO_PROGRESS_HPP

// The default observer of every long search.

namespace repebble::inline v0 {

/// Observes nothing. An observer of a long search may have `progress(double)`, which is called with the share of the
/// work done. `limits::stop` ends a search.
struct no_progress {};

}  // namespace repebble::inline v0

#endif
