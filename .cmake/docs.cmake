# The target `docs`: a reference of the public headers in HTML, below the build folder, by Doxygen.
find_program(DOXYGEN_PROGRAM doxygen)
find_package(Python3 QUIET COMPONENTS Interpreter)
if(NOT DOXYGEN_PROGRAM OR NOT Python3_FOUND)
  add_custom_target(
    docs
    COMMAND "${CMAKE_COMMAND}" -E echo "docs: needs doxygen and Python 3; install them and configure again"
    COMMAND "${CMAKE_COMMAND}" -E false
  )
  return()
endif()

set(REPEBBLE_DOCS_DIRECTORY "${PROJECT_BINARY_DIR}/docs")
set(REPEBBLE_DOCS_FILTER "${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/.cmake/doxygen_filter.py")
set(REPEBBLE_DOCS_MAIN_PAGE "${PROJECT_SOURCE_DIR}/.cmake/mainpage.dox")
set(REPEBBLE_DOCS_HTML YES)
set(REPEBBLE_DOCS_XML NO)
set(REPEBBLE_DOCS_WARNINGS "${REPEBBLE_DOCS_DIRECTORY}/warnings")
configure_file("${PROJECT_SOURCE_DIR}/.cmake/Doxyfile.in" "${REPEBBLE_DOCS_DIRECTORY}/Doxyfile" @ONLY)
add_custom_target(
  docs
  COMMAND "${DOXYGEN_PROGRAM}" "${REPEBBLE_DOCS_DIRECTORY}/Doxyfile"
  COMMAND "${CMAKE_COMMAND}" -E echo "docs: ${REPEBBLE_DOCS_DIRECTORY}/html/index.html"
  VERBATIM
)
