# The optional parts of the library, and the package that others find. Nothing here is set outside these functions.

# Lets who links the target include headers from the folder: as system headers for a parent project, whose warnings are
# not ours, as those of an installed package are.
function(repebble_include_directories target folder)
  set(system)
  if(NOT PROJECT_IS_TOP_LEVEL)
    set(system SYSTEM)
  endif()
  target_include_directories(${target} ${system} INTERFACE "$<BUILD_INTERFACE:${folder}>")
endfunction()

# repebble_embed(HEADER NAMESPACE FILE...)
#
# Writes a header with the text of each FILE as a std::string_view: page.css is NAMESPACE::page_css. It is written again
# when a file changes.
function(repebble_embed header namespace)
  set(text "// Made by CMake of the files that it names.\n#pragma once\n\n#include <string_view>\n\n")
  string(APPEND text "namespace ${namespace} {\n")
  foreach(file IN LISTS ARGN)
    cmake_path(GET file FILENAME filename)
    string(MAKE_C_IDENTIFIER "${filename}" name)
    file(READ "${file}" rest)
    string(LENGTH "${rest}" length)
    if(length GREATER 65535)
      message(FATAL_ERROR "repebble: ${filename} has ${length} bytes: some compilers take 65535 in a literal")
    endif()
    string(APPEND text "\n/// ${filename}\ninline constexpr std::string_view ${name} =")
    # Some compilers take 16 kB in one piece of a literal. Pieces end with a line.
    while(length GREATER 0)
      string(SUBSTRING "${rest}" 0 16000 piece)
      if(length GREATER 16000)
        string(FIND "${piece}" "\n" end REVERSE)
        math(EXPR end "${end} + 1")
        string(SUBSTRING "${rest}" 0 ${end} piece)
      endif()
      string(LENGTH "${piece}" end)
      string(SUBSTRING "${rest}" ${end} -1 rest)
      string(LENGTH "${rest}" length)
      string(APPEND text "\n    R\"embedded(${piece})embedded\"")
    endwhile()
    string(APPEND text ";\n")
  endforeach()
  string(APPEND text "\n}  // namespace ${namespace}\n")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
  set(before)
  if(EXISTS "${header}")
    file(READ "${header}" before)
  endif()
  if(NOT before STREQUAL text)
    file(WRITE "${header}" "${text}")
  endif()
endfunction()

# repebble_component(NAME [HEADERS FOLDER] [EMBEDS FILE...] [NEEDS COMPONENT...] [PACKAGES "NAME VERSION"...]
#                    [LINKS TARGET...])
#
# Defines repebble::NAME, a target of headers only, which links the core, the components that it needs and the targets
# of other packages. FOLDER holds a folder `repebble` with the headers and their bodies, where these are not below include/ already.
# The text of each FILE, named from FOLDER/repebble/NAME, is in the header <repebble/NAME/detail/embedded.hpp>, which is
# made in the build folder, in the namespace repebble::detail::NAME.
# A package that is missing is no error before somebody links the component, nor is it needed for the installation.
function(repebble_component name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "HEADERS" "EMBEDS;NEEDS;PACKAGES;LINKS")
  set(target repebble_${name})
  add_library(${target} INTERFACE)
  add_library(repebble::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  list(TRANSFORM arg_NEEDS PREPEND repebble_ OUTPUT_VARIABLE needed_targets)
  target_link_libraries(${target} INTERFACE repebble ${needed_targets} ${arg_LINKS})
  if(arg_HEADERS)
    cmake_path(ABSOLUTE_PATH arg_HEADERS)
    repebble_include_directories(${target} "${arg_HEADERS}")
  endif()
  set(arg_MADE)
  if(arg_EMBEDS)
    set(arg_MADE "${CMAKE_CURRENT_BINARY_DIR}/${target}")
    list(TRANSFORM arg_EMBEDS PREPEND "${arg_HEADERS}/repebble/${name}/")
    set(embedded "${arg_MADE}/repebble/${name}/detail/embedded.hpp")
    repebble_embed("${embedded}" "repebble::inline v0::detail::${name}" ${arg_EMBEDS})
    repebble_include_directories(${target} "${arg_MADE}")
  endif()

  foreach(package IN LISTS arg_PACKAGES)
    separate_arguments(package)
    find_package(${package} QUIET GLOBAL)
    list(GET package 0 package)
    if(NOT ${package}_FOUND)
      message(STATUS "repebble: no ${package}, which ${target} needs")
    endif()
  endforeach()

  set_property(GLOBAL APPEND PROPERTY REPEBBLE_COMPONENTS ${name})
  foreach(field HEADERS MADE NEEDS PACKAGES)
    set_property(GLOBAL PROPERTY REPEBBLE_COMPONENT_${name}_${field} "${arg_${field}}")
  endforeach()
endfunction()

# Installs the headers, the licence, the package and the file for pkg-config, with every component that has been defined before.
function(repebble_install)
  include(GNUInstallDirs)
  include(CMakePackageConfigHelpers)
  # Headers only: nothing of it depends on the architecture.
  set(destination "${CMAKE_INSTALL_DATADIR}/cmake/repebble")

  get_property(components GLOBAL PROPERTY REPEBBLE_COMPONENTS)
  set(what_they_need)
  foreach(component IN LISTS components)
    foreach(field HEADERS MADE NEEDS PACKAGES)
      get_property(${field} GLOBAL PROPERTY REPEBBLE_COMPONENT_${component}_${field})
    endforeach()
    foreach(folder IN LISTS HEADERS MADE)
      install(DIRECTORY "${folder}/repebble" TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp" PATTERN "*.ipp")
    endforeach()
    repebble_install_targets(${component} repebble_${component} "${destination}")
    string(APPEND what_they_need "  set(${component}_needs \"${NEEDS}\")\n"
                                 "  set(${component}_packages \"${PACKAGES}\")\n")
  endforeach()
  repebble_install_targets(core repebble "${destination}")
  install(DIRECTORY include/repebble TYPE INCLUDE FILES_MATCHING PATTERN "*.hpp" PATTERN "*.ipp")
  install(FILES .cmake/compiled.cmake DESTINATION "${destination}")
  set(pc_folder "${CMAKE_INSTALL_FULL_DATADIR}/pkgconfig")
  file(RELATIVE_PATH include_from_pc "${pc_folder}" "${CMAKE_INSTALL_FULL_INCLUDEDIR}")
  configure_file(.cmake/repebble.pc.in "${CMAKE_CURRENT_BINARY_DIR}/package/repebble.pc" @ONLY)
  install(FILES "${CMAKE_CURRENT_BINARY_DIR}/package/repebble.pc" DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig")
  install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")

  set(config "${CMAKE_CURRENT_BINARY_DIR}/package")
  configure_package_config_file(
    .cmake/repebble-config.cmake.in "${config}/repebble-config.cmake"
    INSTALL_DESTINATION "${destination}"
    NO_SET_AND_CHECK_MACRO
  )
  # Before 1.0 a minor version may change what the one before it promised.
  write_basic_package_version_file(
    "${config}/repebble-config-version.cmake"
    COMPATIBILITY SameMinorVersion
    ARCH_INDEPENDENT
  )
  install(FILES "${config}/repebble-config.cmake" "${config}/repebble-config-version.cmake"
          DESTINATION "${destination}")
endfunction()

# One export set each, so that who asks for the core only does not need the other components' packages.
function(repebble_install_targets component target destination)
  install(TARGETS ${target} EXPORT repebble-${component} INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
  install(
    EXPORT repebble-${component}
    NAMESPACE repebble::
    FILE repebble-${component}.cmake
    DESTINATION "${destination}"
  )
endfunction()
