find_package(nlohmann_json REQUIRED)
find_package(simdjson REQUIRED)
target_link_libraries(vitro_io PRIVATE nlohmann_json::nlohmann_json simdjson::simdjson)
# Headers of files are read once.
vitro_compile_for_size(io "safetensors*.cpp;pt2/*.cpp")
