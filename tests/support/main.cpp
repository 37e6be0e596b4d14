// Only for a Catch2 2 that has no library with a main of its own.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
