# The version is that of project(). Other tools look for it in files of their own, and pages name it: each must say it, where
# it is there.
function(repebble_check_version)
  set(all "${PROJECT_VERSION}")
  set(minor "${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}")
  foreach(place IN ITEMS
      "include/repebble/version.hpp:_MAJOR ${PROJECT_VERSION_MAJOR} "
      "include/repebble/version.hpp:_MINOR ${PROJECT_VERSION_MINOR} "
      "include/repebble/version.hpp:_PATCH ${PROJECT_VERSION_PATCH} "
      "include/repebble/INSTALL.md:find_package(repebble ${minor} "
      "include/repebble/INSTALL.md:\"repebble/${all}\""
      ".cmake/vcpkg/repebble/vcpkg.json:\"version\": \"${all}\""
      "examples/python/pyproject.toml:version = \"${all}\""
      "examples/python/repebble/__init__.py:__version__ = \"${all}\""
      "tests/consumer/CMakeLists.txt:CONSUMER_VERSION ${minor} "
      "CHANGELOG.md:## ${all}"
      "README.md:find_package(repebble ${minor})"
      "README.md:\"repebble/${all}\"")
    string(REGEX MATCH "^([^:]+):(.*)$" place "${place}")
    set(said "${CMAKE_MATCH_2}")
    set(file "${PROJECT_SOURCE_DIR}/${CMAKE_MATCH_1}")
    if(EXISTS "${file}")
      file(READ "${file}" text)
      string(FIND "${text}" "${said}" found)
      if(found EQUAL -1)
        message(FATAL_ERROR "repebble: the project has version ${all}, but ${file} does not say: ${said}")
      endif()
    endif()
  endforeach()
endfunction()
