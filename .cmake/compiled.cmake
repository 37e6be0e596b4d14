# The bodies of the library, compiled once where somebody links them: repebble::compiled, and for each component NAME that
# has bodies repebble::compiled_NAME. Who links one includes the same headers, which then only declare. Defined in the
# project's build, by the package in that of a consumer, and in that of the Python package.

# repebble_compile(TARGET FOLDER ROOMS ROOM... LINKS TARGET...)
#
# FOLDER holds `repebble/impl/<room>`. Where the library is worked on, the bodies of a room are one unit, those of the
# planner one unit a folder, so that a change compiles little again; elsewhere, and with REPEBBLE_LARGE_UNITS, several of
# these units are one, which compiles sooner from nothing. Defines nothing where there are no such bodies.
function(repebble_compile target folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "" "ROOMS;LINKS")
  set(sources)
  string(REGEX REPLACE "([[*?])" "[\\1]" literal_folder "${folder}")  # for the glob
  foreach(room IN LISTS arg_ROOMS)
    file(GLOB_RECURSE bodies RELATIVE "${folder}" CONFIGURE_DEPENDS "${literal_folder}/repebble/impl/${room}/*.ipp")
    set(units)
    foreach(body IN LISTS bodies)
      set(unit ${room})
      if(room STREQUAL "planner")
        cmake_path(GET body PARENT_PATH unit)
        string(REPLACE "repebble/impl/" "" unit "${unit}")
      endif()
      string(MAKE_C_IDENTIFIER "${unit}" unit)
      list(APPEND units ${unit})
      string(APPEND ${unit}_body "#include <${body}>\n")
    endforeach()
    list(REMOVE_DUPLICATES units)
    foreach(unit IN LISTS units)
      set(source "${CMAKE_CURRENT_BINARY_DIR}/repebble_compiled/${unit}.cpp")
      file(CONFIGURE OUTPUT "${source}" CONTENT "${${unit}_body}" @ONLY)
      list(APPEND sources "${source}")
    endforeach()
  endforeach()
  if(NOT sources OR TARGET repebble_${target})
    return()
  endif()
  add_library(repebble_${target} STATIC EXCLUDE_FROM_ALL ${sources})
  add_library(repebble::${target} ALIAS repebble_${target})
  target_compile_definitions(repebble_${target} PUBLIC REPEBBLE_SEPARATE_COMPILATION)
  target_link_libraries(repebble_${target} PUBLIC ${arg_LINKS})
  set(together ON)
  if(PROJECT_NAME STREQUAL "repebble" AND PROJECT_IS_TOP_LEVEL AND REPEBBLE_BUILD_TESTS AND NOT REPEBBLE_LARGE_UNITS)
    set(together OFF)
  endif()
  set_target_properties(
    repebble_${target} PROPERTIES POSITION_INDEPENDENT_CODE ON UNITY_BUILD ${together} UNITY_BUILD_MODE BATCH
                                  UNITY_BUILD_BATCH_SIZE 8
  )
  # A test defines bodies of this room itself, with the thread sanitizer: none of another may lie in the same object.
  if(REPEBBLE_BUILD_TESTS)
    set_property(
      SOURCE "${CMAKE_CURRENT_BINARY_DIR}/repebble_compiled/execute.cpp" PROPERTY SKIP_UNITY_BUILD_INCLUSION ON
    )
  endif()
endfunction()

# repebble_compiled_below(TARGET RESULT): the bodies that a component links with its own: those of the core, and of the
# components that it needs.
function(repebble_compiled_below target result)
  set(found repebble_compiled)
  get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
  foreach(link IN LISTS links)
    if(link MATCHES "^repebble(_|::)(.+)$")
      set(needed ${CMAKE_MATCH_2})
      if(TARGET repebble_compiled_${needed})
        list(APPEND found repebble_compiled_${needed})
      endif()
      repebble_compiled_below(${link} deeper)
      list(APPEND found ${deeper})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES found)
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# Whether all targets that one links, directly or not, are there.
function(repebble_links_are_there target result)
  set(there TRUE)
  get_target_property(links ${target} INTERFACE_LINK_LIBRARIES)
  foreach(link IN LISTS links)
    if(link MATCHES "::" AND NOT TARGET ${link})
      set(there FALSE)
    elseif(there AND link MATCHES "^repebble(_|::)")
      repebble_links_are_there(${link} there)
    endif()
  endforeach()
  set(${result} ${there} PARENT_SCOPE)
endfunction()

# repebble_compile_component(NAME FOLDER): repebble::compiled_NAME, of the rooms of a component; where what it needs is
# there.
function(repebble_compile_component name folder)
  if(NOT TARGET repebble::${name})
    return()
  endif()
  repebble_links_are_there(repebble::${name} there)
  if(NOT there)
    return()
  endif()
  if(name STREQUAL "json")
    repebble_compile(compiled_json "${folder}" ROOMS io LINKS repebble_compiled repebble::json)
  else()
    repebble_compiled_below(repebble::${name} below)
    repebble_compile(compiled_${name} "${folder}" ROOMS ${name} LINKS ${below} repebble::${name})
  endif()
endfunction()

# repebble_add_compiled(FOLDER): repebble::compiled, of all rooms of the library.
function(repebble_add_compiled folder)
  repebble_compile(
    compiled "${folder}"
    ROOMS graph pebbling orders allocate chains decomposition execute lower_sets recompute planner report
    LINKS repebble::repebble
  )
endfunction()
