find_package(PkgConfig REQUIRED)
pkg_check_modules(sqlite3 REQUIRED IMPORTED_TARGET sqlite3)
target_link_libraries(vitro_cli PRIVATE PkgConfig::sqlite3)

# The script of `vitro bench --compare` is embedded in the program.
set(script ${PROJECT_SOURCE_DIR}/cli/peers.py)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
file(READ ${script} text)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/cli/peers_script.h @ONLY
     CONTENT "inline constexpr char peers_script[] = R\"script(@text@)script\";\n")
target_include_directories(vitro_cli PRIVATE ${PROJECT_BINARY_DIR}/generated/cli)
