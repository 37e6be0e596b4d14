#ifndef REPEBBLE_DETAIL_INVOKE_ON_VERTEX_HPP
#define REPEBBLE_DETAIL_INVOKE_ON_VERTEX_HPP

// std::invoke for callables on vertices (functions, lambdas, pointers to members), without <functional>, which takes
// long to compile. All weights and traits are called through it.

#include <concepts>
#include <type_traits>

namespace repebble::inline v0::detail {

/// The object to which a pointer to a member of `Class` is applied: v itself, or the object that v points or refers to.
template <class Class, class Member, class Vertex>
[[nodiscard]] constexpr auto member_owner(Member Class::*, Vertex const& v) -> decltype(auto) {
    if constexpr (std::is_base_of_v<Class, Vertex>) {
        return (v);
    } else if constexpr (requires { *v; }) {
        return *v;
    } else {
        return v.get();
    }
}

/// Returns f(v, rest...); where f is a pointer to a member, of the object that v is, points to or refers to.
template <class F, class Vertex, class... Rest>
    requires std::invocable<F const&, Vertex const&, Rest const&...>
constexpr auto call(F const& f, Vertex const& v, Rest const&... rest) -> decltype(auto) {
    if constexpr (std::is_member_object_pointer_v<F>) {
        return (member_owner(f, v).*f);
    } else if constexpr (std::is_member_function_pointer_v<F>) {
        return (member_owner(f, v).*f)(rest...);
    } else {
        return f(v, rest...);
    }
}

}  // namespace repebble::inline v0::detail

#endif
