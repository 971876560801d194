find_package(ZLIB REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(utf8proc REQUIRED IMPORTED_TARGET libutf8proc)
target_link_libraries(vitro_report PUBLIC ZLIB::ZLIB PkgConfig::zstd PkgConfig::utf8proc)
# ISA-L inflates faster than zlib, on x86 and ARM.
pkg_check_modules(isal IMPORTED_TARGET libisal)
if(isal_FOUND)
  target_link_libraries(vitro_report PUBLIC PkgConfig::isal)
endif()
target_compile_definitions(vitro_report PRIVATE VITRO_ISAL=$<BOOL:${isal_FOUND}>)
vitro_page_texts(report)
# What is written once, and what calls zlib, zstd and ISA-L with buffers.
vitro_compile_for_size(report "progress.cpp;printable.cpp;temporary.cpp;units.cpp;compress.cpp;inflate*.cpp;html.cpp;page_text.cpp;svg.cpp;plot.cpp;flame_graph.cpp;flame_tree.cpp;chart.cpp;diagram.cpp;layers.cpp;json_check.cpp;table.cpp")
# GCC 13 warns, wrongly, of a write before the start of a vector of two-byte elements.
target_compile_options(vitro_report PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
# Every event of a trace.
vitro_compile_for_speed(report "json.cpp")
