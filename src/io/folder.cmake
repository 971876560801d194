find_package(nlohmann_json REQUIRED)
find_package(simdjson REQUIRED)
target_link_libraries(vitro_io PRIVATE nlohmann_json::nlohmann_json PUBLIC simdjson::simdjson)
# Headers and lists of files are read once.
vitro_compile_for_size(io "*.cpp;pt2/*.cpp")
