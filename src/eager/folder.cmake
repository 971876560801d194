file(GLOB vitro_eager_kernels CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.kernel.cpp)
vitro_kernel_files(vitro_eager ${vitro_eager_kernels})
# Its loops are over elements.
vitro_compile_for_speed(eager "compaction.cpp")
