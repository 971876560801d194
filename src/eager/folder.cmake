file(GLOB vitro_eager_kernels CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.kernel.cpp)
vitro_kernel_files(vitro_eager ${vitro_eager_kernels})
