#ifndef REPEBBLE_DETAIL_INVOKE_ON_VERTEX_HPP
#define REPEBBLE_DETAIL_INVOKE_ON_VERTEX_HPP

#include <concepts>
#include <type_traits>

namespace repebble::inline v0::detail {

/// The object that a pointer to a member of `Class` is applied to: v itself, or what it points or refers to.
template <class Class, class Member, class Vertex>
[[nodiscard]] constexpr auto object_of(Member Class::*, Vertex const& v) -> decltype(auto) {
    if constexpr (std::is_base_of_v<Class, Vertex>) {
        return (v);
    } else if constexpr (requires { *v; }) {
        return *v;
    } else {
        return v.get();
    }
}

/// std::invoke for callables on vertices, without <functional>, which is dear to compile.
template <class F, class Vertex, class... Rest>
    requires std::invocable<F const&, Vertex const&, Rest const&...>
constexpr auto call(F const& f, Vertex const& v, Rest const&... rest) -> decltype(auto) {
    if constexpr (std::is_member_object_pointer_v<F>) {
        return (object_of(f, v).*f);
    } else if constexpr (std::is_member_function_pointer_v<F>) {
        return (object_of(f, v).*f)(rest...);
    } else {
        return f(v, rest...);
    }
}

}  // namespace repebble::inline v0::detail

#endif
