# Calls by name, pages, counting: what is not on the way of a call; and what only calls ops: gradients and composites. Fourier
# transforms are loops over elements, which -O3 makes larger, but not faster.
vitro_compile_for_size(ops "*.cpp" "fourier_(plan|kernel)\\.cpp$")
foreach(file plan kernel)
  set_source_files_properties(
    ${PROJECT_SOURCE_DIR}/src/ops/fourier_${file}.cpp PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:-O2>" TARGET_DIRECTORY vitro_ops)
endforeach()
