#ifndef REPEBBLE_GRAPH_ADAPT_PROPERTY_MAP_HPP
#define REPEBBLE_GRAPH_ADAPT_PROPERTY_MAP_HPP

// Boost property maps as weights: the bridge from Boost's properties to callables on vertices.

#include <concepts>
#include <type_traits>
#include <utility>

#include <boost/property_map/property_map.hpp>

namespace repebble::inline v0 {

/// A property map that can be read, such as get(boost::vertex_priority, g), or a pointer to the first of n numbers.
template <class Map>
concept readable_property_map =
    std::convertible_to<typename boost::property_traits<Map>::category, boost::readable_property_map_tag>;

/// A callable that reads a property map.
template <readable_property_map Map>
class property_reader {
  public:
    /// What is asked of: a vertex descriptor.
    using key = typename boost::property_traits<Map>::key_type;
    /// What the map holds of each.
    using value = typename boost::property_traits<Map>::value_type;

    /// Keeps a copy of the map, which refers to its data.
    constexpr explicit property_reader(Map map) : map_(std::move(map)) {}

    template <std::convertible_to<key> Key>
    [[nodiscard]] constexpr auto operator()(Key const& k) const -> value {
        using boost::get;
        return static_cast<value>(get(map_, static_cast<key>(k)));
    }

  private:
    Map map_;
};

namespace detail {
struct from_property_map_fn {
    template <readable_property_map Map>
    [[nodiscard]] constexpr auto operator()(Map map) const {
        return property_reader<Map>(std::move(map));
    }
};
}  // namespace detail

/// A readable Boost property map as a callable; one from vertices to numbers is then a `vertex_weight`:
///     from_property_map(get(&operation::bytes, g))      // a bundled property
///     from_property_map(get(boost::vertex_priority, g))
/// Refers to the same objects as the map.
inline constexpr detail::from_property_map_fn from_property_map{};

}  // namespace repebble::inline v0

#endif
