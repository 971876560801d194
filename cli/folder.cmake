find_package(PkgConfig REQUIRED)
pkg_check_modules(sqlite3 REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(images REQUIRED IMPORTED_TARGET libpng libturbojpeg)
target_link_libraries(vitro_cli PRIVATE PkgConfig::sqlite3 PkgConfig::images)
