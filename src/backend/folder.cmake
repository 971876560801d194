# libvitro-cc.so (clang and LLVM behind a C interface) and the helper program vitro-cc.  libvitro itself does not link them.
find_package(LLVM 19.1 REQUIRED CONFIG PATHS /usr/lib/llvm-19/lib/cmake/llvm NO_DEFAULT_PATH)
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_LIBRARY_DIRS}")
set(vitro_cc_sources ${PROJECT_SOURCE_DIR}/src/backend/jit/standalone)

add_library(libvitro-cc SHARED ${vitro_cc_sources}/cc.cpp ${vitro_cc_sources}/cc_compile.cpp ${vitro_cc_sources}/cc_generate.cpp
            ${vitro_cc_sources}/cc_optimise.cpp ${vitro_cc_sources}/cc_parse.cpp)
set_target_properties(
  libvitro-cc PROPERTIES OUTPUT_NAME vitro-cc CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
target_include_directories(libvitro-cc PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_include_directories(libvitro-cc SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
target_compile_options(libvitro-cc PRIVATE -fno-rtti)
target_link_directories(libvitro-cc PRIVATE ${LLVM_LIBRARY_DIRS})
target_link_libraries(libvitro-cc PRIVATE Threads::Threads -Wl,--exclude-libs,ALL)

# Linked from the archives, the library has only what kernels need and loads five times as fast as the shared libraries.
option(VITRO_STATIC_LLVM "link LLVM into libvitro-cc.so where its archives are installed" ON)
file(GLOB vitro_llvm_archives ${LLVM_LIBRARY_DIRS}/libLLVM*.a)
file(GLOB vitro_clang_archives ${LLVM_LIBRARY_DIRS}/libclang[A-Z]*.a)
if(VITRO_STATIC_LLVM AND VITRO_LLD AND vitro_llvm_archives AND vitro_clang_archives)
  message(STATUS "libvitro-cc.so: LLVM from its archives")
  target_sources(libvitro-cc PRIVATE ${vitro_cc_sources}/cc_absent.cpp)
  target_link_options(
    libvitro-cc PRIVATE -static-libstdc++ -static-libgcc -Wl,--gc-sections,--icf=all,-Bsymbolic -Wl,-z,pack-relative-relocs $<$<CONFIG:Release>:-s>)
  if(NOT VITRO_SANITIZE)  # the functions of a sanitizer are in the program
    target_link_options(libvitro-cc PRIVATE -Wl,-z,defs)
  endif()
  target_link_libraries(
    libvitro-cc PRIVATE -Wl,--start-group ${vitro_clang_archives} ${vitro_llvm_archives} -Wl,--end-group z zstd ${CMAKE_DL_LIBS} m)
else()
  message(STATUS "libvitro-cc.so: LLVM from its shared libraries (no archives in ${LLVM_LIBRARY_DIRS}, or no lld): the first compilation loads slowly")
  target_link_libraries(
    libvitro-cc PRIVATE -l:libclang-cpp.so.${LLVM_VERSION_MAJOR}.${LLVM_VERSION_MINOR} LLVM-${LLVM_VERSION_MAJOR} z zstd)
endif()

add_executable(vitro-cc ${vitro_cc_sources}/cc_main.cpp)
target_include_directories(vitro-cc PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(vitro-cc PRIVATE libvitro-cc)
set_target_properties(vitro-cc PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")

# The prelude as a syntax tree, vitro_prelude.ISA.ast beside the libraries; without it the prelude is parsed for each kernel.
add_executable(vitro-precompile ${vitro_cc_sources}/precompile_main.cpp)
target_include_directories(vitro-precompile PRIVATE ${PROJECT_SOURCE_DIR}/src)
vitro_link_closure(vitro-precompile backend)
vitro_kernel_isas(isas)
set(vitro_trees ${isas})
list(TRANSFORM vitro_trees REPLACE "(.+)" "${PROJECT_BINARY_DIR}/vitro_prelude.\\1.ast")
add_custom_command(
  OUTPUT ${vitro_trees}
  COMMAND ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0 $<TARGET_FILE:vitro-precompile> ${PROJECT_BINARY_DIR} ${isas}
  DEPENDS vitro-precompile vitro libvitro-cc
  VERBATIM)
add_custom_target(vitro_trees ALL DEPENDS ${vitro_trees})

target_compile_definitions(vitro_backend PRIVATE VITRO_LLVM_VERSION="${LLVM_PACKAGE_VERSION}")
target_link_libraries(vitro_backend PUBLIC ${CMAKE_DL_LIBS})
add_dependencies(vitro_backend libvitro-cc vitro-cc)
# GCC 12 reports members of a moved variant as uninitialised.
target_compile_options(vitro_backend PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)

# Code that runs once per graph; code that runs on every call is in run/.
vitro_compile_for_size(backend "compile.cpp;schedule/*.cpp;program/*.cpp;fuse/*.cpp;lower/*.cpp;codegen/*.cpp;jit/*.cpp;jit/link/*.cpp;run/executable.cpp;run/arena_plan.cpp;run/horizontal_fusion.cpp;run/plan.cpp;run/plan_bytes.cpp;run/report_bytes.cpp;run/packed.cpp" "/keyed_hash\\.cpp$")
