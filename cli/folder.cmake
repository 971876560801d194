find_package(PkgConfig REQUIRED)
find_package(ZLIB REQUIRED)
pkg_check_modules(sqlite3 REQUIRED IMPORTED_TARGET sqlite3)
target_link_libraries(vitro_cli PRIVATE PkgConfig::sqlite3 ZLIB::ZLIB vitro::images)

# Scripts that the program runs are embedded in it.
function(vitro_embed_script path name)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  file(READ ${path} text)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/cli/${name}_script.h @ONLY CONTENT
       "inline constexpr char ${name}_text[] = R\"script(@text@)script\";\n")
endfunction()
vitro_embed_script(${PROJECT_SOURCE_DIR}/tools/pt2_reference pt2_reference)
vitro_embed_script(${PROJECT_SOURCE_DIR}/cli/peers.py peers)
target_include_directories(vitro_cli PRIVATE ${PROJECT_BINARY_DIR}/generated/cli)
