#ifndef REPEBBLE_RECOMPUTE_DROP_RULES_HPP
#define REPEBBLE_RECOMPUTE_DROP_RULES_HPP

#include <optional>

#include <repebble/graph/dataflow.hpp>

namespace repebble::detail {

/// What moves over sequences let go of, to compute it again.
struct drop_rules {
    bool with_inputs = true;  ///< and by chance what that is computed from, and so on; else all of that is held for it
    std::optional<operation_index> spared{};  ///< what this one computes is held: it does not run more often
};

}  // namespace repebble::detail

#endif
