find_package(simdjson REQUIRED)
target_link_libraries(vitro_analyze PUBLIC simdjson::simdjson ZLIB::ZLIB PkgConfig::zstd)
vitro_page_texts(analyze)
# Questions are asked once for a file, which is read by what touches every event of it.
vitro_compile_for_size(
  analyze "read/perfetto.cpp;read/unpack.cpp;read/protobuf_fields.cpp;read/memory_rows.cpp;read/number_lists.cpp;read/bytes.cpp;read/mend.cpp;store/*.cpp;model/*.cpp;findings/*.cpp;questions/*.cpp;questions/*/*.cpp;merge/*.cpp;page/*.cpp"
  "/(columns|load)\\.cpp$")
# What passes every byte of a trace.
vitro_compile_for_speed(analyze "read/windows.cpp;read/event_reader.cpp")
