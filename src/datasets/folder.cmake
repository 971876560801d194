find_package(ZLIB REQUIRED)
target_link_libraries(vitro_datasets PRIVATE ZLIB::ZLIB)
# Called once a batch, or once a file.
vitro_compile_for_size(datasets "*.cpp")
