# repebble::planner: the automatic planner, compiled once where somebody links it. Who links it includes
# <repebble/plan.hpp> as before, and compiles it in a second or two. Defined in the project's build and, by the package,
# in that of a consumer.
function(repebble_add_planner source)
  if(TARGET repebble_planner)
    return()
  endif()
  add_library(repebble_planner STATIC EXCLUDE_FROM_ALL "${source}")
  add_library(repebble::planner ALIAS repebble_planner)
  set_target_properties(repebble_planner PROPERTIES POSITION_INDEPENDENT_CODE ON UNITY_BUILD OFF)
  target_compile_definitions(repebble_planner PUBLIC REPEBBLE_SEPARATE_COMPILATION)
  target_link_libraries(repebble_planner PUBLIC repebble::repebble)
endfunction()
