# Several source files as one unit, and what many units include compiled once: what a file includes and instantiates is
# most of what compiling it costs. For this project's own programs and tests.

option(REPEBBLE_TOGETHER "Compile the files of a program, or of a room of tests, some at a time" ON)
# Less of the compiler's time from nothing, more after a change: for machines that build once, as tests/run does. The
# largest unit takes g++ 2.1 GB.
option(REPEBBLE_LARGE_UNITS "Compile as many files at a time as 2 GB of memory hold, those of the library, too" OFF)
if(REPEBBLE_LARGE_UNITS)
  add_compile_options(-g0)
endif()

# repebble_compile_together(TARGET [BYTES])
#
# The files of the target, in their order, as units of at most so many bytes: a change of one file compiles its
# neighbours again. With REPEBBLE_LARGE_UNITS a unit has at least 100,000. Names in anonymous namespaces of one target
# must differ.
function(repebble_compile_together target)
  set(most_bytes 36000)
  if(ARGC GREATER 1)
    set(most_bytes ${ARGV1})
  endif()
  if(REPEBBLE_LARGE_UNITS AND most_bytes LESS 100000)
    set(most_bytes 100000)
  endif()
  get_target_property(sources ${target} SOURCES)
  set(group 0)
  set(bytes 0)
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}")
    file(SIZE "${source}" size)
    math(EXPR bytes "${bytes} + ${size}")
    if(bytes GREATER most_bytes)
      math(EXPR group "${group} + 1")
      set(bytes ${size})
    endif()
    set_property(SOURCE "${source}" PROPERTY UNITY_GROUP part${group})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${REPEBBLE_TOGETHER} UNITY_BUILD_MODE GROUP)
endfunction()

# repebble_precompile(TARGET HEADER... | REUSE_FROM OTHER): target_precompile_headers, such that ccache can use them, too.
# For g++ alone: those of clang hold the full paths of headers, and so belong to one checkout.
function(repebble_precompile target)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  if(ARGV1 STREQUAL "REUSE_FROM")
    target_precompile_headers(${target} REUSE_FROM ${ARGV2})
  else()
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
endfunction()
