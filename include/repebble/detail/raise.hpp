#ifndef REPEBBLE_DETAIL_RAISE_HPP
#define REPEBBLE_DETAIL_RAISE_HPP

/// The one place where this library throws. With -fno-exceptions the message goes to a handler instead, which must not
/// return: `-DREPEBBLE_ERROR_HANDLER=f` names a function `[[noreturn]] void f(char const* what)` that is declared
/// before the first header of the library; by default the program is aborted. Every room uses it.

#if defined(__cpp_exceptions)
#define REPEBBLE_TRY try
#define REPEBBLE_CATCH(exception) catch (exception)
#define REPEBBLE_RETHROW throw
#else
#include <concepts>
#include <cstdlib>
#define REPEBBLE_NO_EXCEPTIONS 1
#define REPEBBLE_TRY
#define REPEBBLE_CATCH(exception) if constexpr (false)
#define REPEBBLE_RETHROW static_cast<void>(0)
#endif

namespace repebble::inline v0::detail {

#if defined(__cpp_exceptions)

template <class Exception>
[[noreturn]] constexpr void raise(Exception const& e) {
    throw e;
}

#else

template <class Exception>
[[noreturn]] void raise(Exception const& e) {
    [[maybe_unused]] char const* what = "a search ended early";
    if constexpr (requires {
                      { e.what() } -> std::convertible_to<char const*>;
                  })
        what = e.what();
#if defined(REPEBBLE_ERROR_HANDLER)
    REPEBBLE_ERROR_HANDLER(what);
#endif
    std::abort();
}

#endif

}  // namespace repebble::inline v0::detail

#endif
