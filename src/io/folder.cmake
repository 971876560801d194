find_package(nlohmann_json REQUIRED)
target_link_libraries(vitro_io PRIVATE nlohmann_json::nlohmann_json)
# Headers of files are read once.
vitro_compile_for_size(io "safetensors*.cpp")
