#ifndef REPEBBLE_DETAIL_SEPARATE_COMPILATION_HPP
#define REPEBBLE_DETAIL_SEPARATE_COMPILATION_HPP

// Bodies lie in `impl/<room>/*.ipp`. By default each header includes its own, and they are inline. With
// REPEBBLE_SEPARATE_COMPILATION defined headers only declare; `repebble/src.hpp`, included in one source file, compiles
// all of them once. The CMake target repebble::compiled does both.

#if defined(REPEBBLE_SEPARATE_COMPILATION)
#define REPEBBLE_INLINE
#else
#define REPEBBLE_INLINE inline
#endif

#endif
