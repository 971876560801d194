# The text of the parts as a generated source, and vitro_kernel_files(): sources compiled ahead by clang-19, once per instruction set.
file(GLOB vitro_kernel_parts CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.h)
list(FILTER vitro_kernel_parts EXCLUDE REGEX "/(prelude|prelude_text|machine|matmul|matmul_plain|matmul_positions|position_rows|matmul_windows|matmul_bf16x6|bf16x6_windows|plane_windows|depthwise|depthwise_weights|winograd|winograd_weights|matmul_table|[a-z_]+_host)\\.h$")
set(vitro_prelude_cpp ${PROJECT_BINARY_DIR}/generated/kernels/prelude_text.cpp)
add_custom_command(
  OUTPUT ${vitro_prelude_cpp}
  COMMAND ${CMAKE_COMMAND} -DOUT=${vitro_prelude_cpp} "-DPARTS=${vitro_kernel_parts}" -P ${CMAKE_CURRENT_LIST_DIR}/embed.cmake
  DEPENDS ${vitro_kernel_parts} ${CMAKE_CURRENT_LIST_DIR}/embed.cmake
  VERBATIM)
target_sources(vitro_kernels PRIVATE ${vitro_prelude_cpp})
find_package(PkgConfig REQUIRED)
pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
target_link_libraries(vitro_kernels PUBLIC PkgConfig::zstd)

find_program(VITRO_CLANG NAMES clang++-19 clang++ REQUIRED)
# The instruction sets that kernels are compiled for (machine.h names them too).
function(vitro_kernel_isas out)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(${out} baseline avx2 avx512 PARENT_SCOPE)
  else()
    set(${out} baseline PARENT_SCOPE)
  endif()
endfunction()

# vitro_kernel_files(TARGET FILES...): adds the objects of each file, one per instruction set, to TARGET.
function(vitro_kernel_files target)
  set(flags_baseline "")
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    set(flags_baseline -Oz)  # for machines older than AVX2: sixteen lanes of four each make much code
  endif()
  # A short loop that crosses a cache line takes up to a fifth longer, and where it lies changes with every build.
  set(flags_avx2 -falign-loops=32 -mavx2 -mfma -mf16c -mbmi -mbmi2 -mlzcnt -mpopcnt)
  set(flags_avx512 ${flags_avx2} -mavx512f -mavx512bw -mavx512vl -mavx512dq -mprefer-vector-width=512)
  # Nothing is thrown through a kernel, so its frames are described for debuggers only, in a section that `strip` removes.
  set(frames -fno-asynchronous-unwind-tables -fforce-dwarf-frame)
  vitro_kernel_isas(isas)
  foreach(file IN LISTS ARGN)
    get_filename_component(stem ${file} NAME_WE)
    foreach(isa IN LISTS isas)
      set(object ${PROJECT_BINARY_DIR}/generated/${target}/${stem}.${isa}.o)
      add_custom_command(
        OUTPUT ${object}
        COMMAND ${CMAKE_COMMAND} -E make_directory ${PROJECT_BINARY_DIR}/generated/${target}
        COMMAND ${VITRO_CCACHE} ${VITRO_CLANG} -std=c++20 -O2 -fPIC -ffp-contract=off -fwrapv -fno-strict-aliasing -fno-builtin
                -fno-exceptions -fno-rtti -fno-math-errno -ffunction-sections ${frames} -Wall -Wno-psabi ${flags_${isa}}
                -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR}/include -MD -MF ${object}.d -c ${file} -o ${object}
        DEPFILE ${object}.d
        DEPENDS ${file}
        VERBATIM)
      set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
      get_target_property(type ${target} TYPE)
      if(type STREQUAL EXECUTABLE)
        target_sources(${target} PRIVATE ${object})
      else()  # an object library hands on only what it compiles itself
        target_sources(${target} INTERFACE ${object})
      endif()
    endforeach()
  endforeach()
endfunction()

vitro_kernel_files(vitro_kernels ${CMAKE_CURRENT_LIST_DIR}/matmul_table.kernel.cpp)
