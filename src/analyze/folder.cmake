find_package(simdjson REQUIRED)
target_link_libraries(vitro_analyze PUBLIC simdjson::simdjson ZLIB::ZLIB PkgConfig::zstd)
# ISA-L inflates faster than zlib, on x86 and ARM.
find_package(PkgConfig REQUIRED)
pkg_check_modules(isal IMPORTED_TARGET libisal)
if(isal_FOUND)
  target_link_libraries(vitro_analyze PUBLIC PkgConfig::isal)
endif()
target_compile_definitions(vitro_analyze PRIVATE VITRO_ISAL=$<BOOL:${isal_FOUND}>)
# Questions are asked once for a file, which is read by what touches every event of it.
vitro_compile_for_size(analyze "*.cpp;page/*.cpp;path/*.cpp" "/(columns|load|timeline|trace)\\.cpp$")
# What passes every byte of a trace.
vitro_compile_for_speed(analyze "read/windows.cpp;read/event_reader.cpp")
