find_package(nlohmann_json REQUIRED)
target_link_libraries(vitro_io PRIVATE nlohmann_json::nlohmann_json)

# The script that downloads MiniLM travels inside of the library.
set(vitro_fetch_minilm ${PROJECT_SOURCE_DIR}/tools/fetch_minilm)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${vitro_fetch_minilm})
file(READ ${vitro_fetch_minilm} vitro_fetch_minilm_text)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/io/fetch_minilm_script.h @ONLY CONTENT
     "inline constexpr char fetch_minilm_script[] = R\"script(@vitro_fetch_minilm_text@)script\";\n")
target_include_directories(vitro_io PRIVATE ${PROJECT_BINARY_DIR}/io)
# Headers of files are read once.
vitro_compile_for_size(io "safetensors*.cpp;minilm.cpp")
