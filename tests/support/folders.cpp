#include "support/folders.hpp"

auto support::source_dir() -> std::string { return REPEBBLE_SOURCE_DIR; }
auto support::build_dir() -> std::string { return REPEBBLE_BUILD_DIR; }
