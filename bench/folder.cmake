find_package(nlohmann_json REQUIRED)
target_link_libraries(vitro_bench PRIVATE nlohmann_json::nlohmann_json)
vitro_kernel_files(vitro_bench ${CMAKE_CURRENT_LIST_DIR}/fma_peak.kernel.cpp)
