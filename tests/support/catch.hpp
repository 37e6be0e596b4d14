#ifndef REPEBBLE_TESTS_SUPPORT_CATCH_HPP
#define REPEBBLE_TESTS_SUPPORT_CATCH_HPP

// Catch2, version 2 or 3, under the names of version 3.

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
// Version 2 cannot skip: warn with the reason, and leave the test case.
#define SKIP(reason)                 \
    do {                             \
        WARN("skipped: " << reason); \
        return;                      \
    } while (false)
#endif

#endif
