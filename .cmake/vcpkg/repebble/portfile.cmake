# An overlay port: vcpkg install repebble --overlay-ports=.cmake/vcpkg, from the sources around it.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(VCPKG_BUILD_TYPE release) # header-only
set(VCPKG_POLICY_SKIP_PKGCONFIG_CHECK enabled) # the only library that repebble.pc names is -pthread

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DREPEBBLE_BUILD_TESTS=OFF -DREPEBBLE_BUILD_EXAMPLES=OFF -DREPEBBLE_INSTALL=ON
)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH share/cmake/repebble)
vcpkg_fixup_pkgconfig()
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
