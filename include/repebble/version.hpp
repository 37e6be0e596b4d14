#ifndef REPEBBLE_VERSION_HPP
#define REPEBBLE_VERSION_HPP

// The version of the library, for the preprocessor and for the compiler. CMake refuses to configure where it is not
// that of the project.

#define REPEBBLE_VERSION_MAJOR 0  ///< changes where programs may break; before 1.0 the minor one does
#define REPEBBLE_VERSION_MINOR 3  ///< changes where something is added
#define REPEBBLE_VERSION_PATCH 0  ///< changes where something is corrected
/// One number that grows with the version: 0.3.0 is 300, 1.12.3 is 11203.
#define REPEBBLE_VERSION (REPEBBLE_VERSION_MAJOR * 10000 + REPEBBLE_VERSION_MINOR * 100 + REPEBBLE_VERSION_PATCH)

namespace repebble::inline v0 {

inline constexpr int version = REPEBBLE_VERSION;              ///< one number that grows with the version
inline constexpr int version_major = REPEBBLE_VERSION_MAJOR;  ///< changes where programs may break
inline constexpr int version_minor = REPEBBLE_VERSION_MINOR;  ///< changes where something is added
inline constexpr int version_patch = REPEBBLE_VERSION_PATCH;  ///< changes where something is corrected

}  // namespace repebble::inline v0

#endif
