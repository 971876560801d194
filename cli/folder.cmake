find_package(PkgConfig REQUIRED)
pkg_check_modules(sqlite3 REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(images REQUIRED IMPORTED_TARGET libpng libturbojpeg)
target_link_libraries(vitro_cli PRIVATE PkgConfig::sqlite3 PkgConfig::images)

# Scripts that the program runs are embedded in it.
set(script ${PROJECT_SOURCE_DIR}/tools/pt2_reference)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${script})
file(READ ${script} text)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/cli/pt2_reference_script.h @ONLY CONTENT
     "inline constexpr char pt2_reference_text[] = R\"script(@text@)script\";\n")
target_include_directories(vitro_cli PRIVATE ${PROJECT_BINARY_DIR}/cli)
