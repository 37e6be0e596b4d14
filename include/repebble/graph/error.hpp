#ifndef REPEBBLE_GRAPH_ERROR_HPP
#define REPEBBLE_GRAPH_ERROR_HPP

// The exceptions of the library, one tree under repebble::error, and the check of preconditions. The message names the
// vertex, line or number at fault.

#include <cstddef>
#include <stdexcept>
#include <string>

#include <repebble/detail/raise.hpp>

namespace repebble::inline v0 {

/// Base of all exceptions for input that can be wrong at run time.
struct error : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

/// The graph has a cycle (a self-loop included).
struct not_a_dag : error {
    using error::error;
};

/// The graph is malformed: an index out of range, an output that does not exist, a convention broken.
struct bad_graph : error {
    using error::error;
};

/// A time, a size or a budget is negative, not a number, or a sum of them does not fit in 64 bits.
struct bad_weight : error {
    using error::error;
};

/// An option is negative, not a number, or not one of the allowed values.
struct bad_option : error {
    using error::error;
};

/// A limit that the caller can raise (steps, lower sets) was reached before an answer was found.
struct limit_reached : error {
    using error::error;
};

/// A precondition that only the calling code can break. Throws, so that tests can check it.
struct precondition_violated : std::logic_error {
    using std::logic_error::logic_error;
};

namespace detail {
[[noreturn]] inline void precondition_failed(char const* what) { raise(precondition_violated(what)); }

/// Throws bad_option where the value is negative or not a number.
inline void check_option(char const* what, double value) {
    if (!(value >= 0)) raise(bad_option(std::string(what) + " must not be negative, but is " + std::to_string(value)));
}

/// Throws bad_option for zero threads.
inline void check_threads(std::size_t threads) {
    if (threads == 0) raise(bad_option("a search takes at least one thread"));
}
}  // namespace detail

}  // namespace repebble::inline v0

#define REPEBBLE_ASSERT(condition) \
    ((condition) ? static_cast<void>(0) : ::repebble::detail::precondition_failed("precondition: " #condition))

#endif
