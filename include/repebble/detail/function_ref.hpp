#ifndef REPEBBLE_DETAIL_FUNCTION_REF_HPP
#define REPEBBLE_DETAIL_FUNCTION_REF_HPP

// A reference to a callable, for functions that are compiled once whatever the caller passes (as the std::function_ref
// of C++26). The planner takes its callbacks by it. It does not own the callable: pass it down, do not store it beyond
// the call.

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace repebble::inline v0::detail {

template <class Signature>
class function_ref;

template <class Result, class... Arguments>
class function_ref<Result(Arguments...)> {
  public:
    template <class F>
        requires(!std::same_as<std::remove_cvref_t<F>, function_ref> &&
                 std::is_invocable_r_v<Result, F&, Arguments...>)
    constexpr function_ref(F&& f) noexcept  // NOLINT: implicit, as that of the standard
        : object_(const_cast<void*>(static_cast<void const*>(std::addressof(f)))),
          call_([](void* object, Arguments... arguments) -> Result {
              return (*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Arguments>(arguments)...);
          }) {}

    constexpr auto operator()(Arguments... arguments) const -> Result {
        return call_(object_, std::forward<Arguments>(arguments)...);
    }

  private:
    void* object_;
    Result (*call_)(void*, Arguments...);
};

/// Asked now and then by a long computation: true ends it early.
using stop_test = function_ref<bool()>;

}  // namespace repebble::inline v0::detail

#endif
