find_package(PkgConfig REQUIRED)
pkg_check_modules(sqlite3 REQUIRED IMPORTED_TARGET sqlite3)
target_link_libraries(vitro_cli PRIVATE PkgConfig::sqlite3)
