# The target `docs`: the site, below the build folder. Needs Python 3, and markdown-it-py and Pygments, which it brings.
add_custom_target(
  docs COMMAND bash "${PROJECT_SOURCE_DIR}/examples/site/run" "${PROJECT_BINARY_DIR}/site" USES_TERMINAL VERBATIM
)
