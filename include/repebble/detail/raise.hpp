#ifndef REPEBBLE_DETAIL_RAISE_HPP
#define REPEBBLE_DETAIL_RAISE_HPP

// The one place where this library throws, and where it catches. Every room uses it.
//
// With -fno-exceptions the message of an error goes to a handler instead, which must not return:
// `-DREPEBBLE_ERROR_HANDLER=f` names a function `[[noreturn]] void f(char const* what)`, declared before the first
// header of the library; by default the program is aborted. The handler hears of errors only: no search of the library
// ends by an exception. Three things differ without exceptions: what standard containers, nlohmann-json and
// std::thread throw ends the program (no memory, a text that is not UTF-8, no more threads); messages about what a
// file describes lack the name of the file; and of an error in a callback that runs on several threads the handler
// hears there.

#if defined(__cpp_exceptions)
#include <exception>
#else
#include <concepts>
#include <cstdlib>
#define REPEBBLE_NO_EXCEPTIONS 1
#endif

#include <utility>

#include <repebble/detail/known_compiler.hpp>

namespace repebble::inline v0::detail {

#if !defined(REPEBBLE_NO_EXCEPTIONS)

template <class Exception>
[[noreturn]] constexpr void raise(Exception const& e) {
    throw e;
}

/// body(), or handle(e) where it throws an `Exception`.
template <class Exception, class Body, class Handle>
auto catching(Body&& body, Handle&& handle) -> decltype(body()) {
    try {
        return body();
    } catch (Exception const& e) {
        return handle(e);
    }
}

/// An exception on its way from one thread to another.
class failure {
  public:
    /// Whether body() ends without an exception; if not, this is it from now on.
    template <class Body>
    [[nodiscard]] auto run(Body&& body) -> bool {
        try {
            std::forward<Body>(body)();
            return true;
        } catch (...) {
            thrown_ = std::current_exception();
            return false;
        }
    }
    [[nodiscard]] explicit operator bool() const noexcept { return thrown_ != nullptr; }
    /// Throws it, where there is one, and forgets it.
    void rethrow() {
        if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
    }

  private:
    std::exception_ptr thrown_;
};

#else

template <class Exception>
[[noreturn]] void raise(Exception const& e) {
    [[maybe_unused]] char const* what = "an error";
    if constexpr (requires {
                      { e.what() } -> std::convertible_to<char const*>;
                  })
        what = e.what();
#if defined(REPEBBLE_ERROR_HANDLER)
    REPEBBLE_ERROR_HANDLER(what);
#endif
    std::abort();
}

template <class Exception, class Body, class Handle>
auto catching(Body&& body, Handle&&) -> decltype(body()) {
    return body();
}

class failure {
  public:
    template <class Body>
    [[nodiscard]] auto run(Body&& body) -> bool {
        std::forward<Body>(body)();
        return true;
    }
    [[nodiscard]] explicit operator bool() const noexcept { return false; }
    void rethrow() {}
};

#endif

}  // namespace repebble::inline v0::detail

#endif
