#ifndef REPEBBLE_GRAPH_ERROR_HPP
#define REPEBBLE_GRAPH_ERROR_HPP

#include <stdexcept>
#include <string>

namespace repebble {

/// Root of everything that this library throws for input that can be wrong at run time. The message names the
/// vertex, line or number at fault.
struct error : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

/// The graph has a cycle (a self-loop included).
struct not_a_dag : error {
    using error::error;
};

/// The graph is malformed: an index out of range, a duplicate edge, an output that does not exist.
struct bad_graph : error {
    using error::error;
};

/// A time, a size or a budget is negative, not a number, or a sum of them does not fit in 64 bits.
struct bad_weight : error {
    using error::error;
};

/// An option is negative, not a number, or not among those there are.
struct bad_option : error {
    using error::error;
};

/// A limit that the caller can raise (steps, lower sets) was reached before an answer was found.
struct limit_reached : error {
    using error::error;
};

/// A precondition that only the programmer can break. Throws, so that tests can see it.
struct precondition_violated : std::logic_error {
    using std::logic_error::logic_error;
};

namespace detail {
[[noreturn]] inline void precondition_failed(char const* what) { throw precondition_violated(what); }
}  // namespace detail

}  // namespace repebble

#define REPEBBLE_ASSERT(condition) \
    ((condition) ? static_cast<void>(0) : ::repebble::detail::precondition_failed("precondition: " #condition))

#endif
