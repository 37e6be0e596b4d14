#ifndef REPEBBLE_TESTS_SUPPORT_FOLDERS_HPP
#define REPEBBLE_TESTS_SUPPORT_FOLDERS_HPP

#include <string>

// Functions and no macros: in another checkout their own unit alone differs, so that ccache has all others.
namespace support {

/// The folder of the project.
[[nodiscard]] auto source_dir() -> std::string;
/// The folder in which it is built.
[[nodiscard]] auto build_dir() -> std::string;

}  // namespace support

#endif
