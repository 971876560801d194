vitro_kernel_files(kernels_test ${CMAKE_CURRENT_LIST_DIR}/elementary.kernel.cpp ${CMAKE_CURRENT_LIST_DIR}/parts.kernel.cpp)

# One definition per instruction set: of a weak function shared by two of them, the linker would keep the first that it finds.
set(vitro_kernel_objects "")
vitro_kernel_isas(vitro_isas)
foreach(isa IN LISTS vitro_isas)
  list(APPEND vitro_kernel_objects ${PROJECT_BINARY_DIR}/generated/vitro_kernels/matmul_table.${isa}.o)
  list(APPEND vitro_kernel_objects ${PROJECT_BINARY_DIR}/generated/kernels_test/elementary.${isa}.o)
endforeach()
add_test(NAME kernels.symbols COMMAND ${CMAKE_CURRENT_LIST_DIR}/check_symbols.sh ${CMAKE_NM} ${vitro_kernel_objects})
