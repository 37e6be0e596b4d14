#ifndef REPEBBLE_DETAIL_KNOWN_COMPILER_HPP
#define REPEBBLE_DETAIL_KNOWN_COMPILER_HPP

// Compilers and standard libraries that are too old are refused by one line, before the many that they would say. Every
// room includes it by way of raise.hpp; `tests/matrix` tries those that are not.

#include <utility>  // says which standard library this is

#if defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE < 12
#error "repebble needs libstdc++ 12 (g++ 12) or later, whose vectors are constexpr"
#elif defined(__clang__) && !defined(__apple_build_version__) && __clang_major__ < 16
#error "repebble needs clang 16 or later: those before cannot compile the views of libstdc++"
#endif

#endif
