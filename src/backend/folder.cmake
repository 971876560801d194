# libvitro-cc.so (clang, LLVM and lld behind a C interface) and the helper program vitro-cc.  libvitro itself does not link them.
find_package(LLVM 19.1 REQUIRED CONFIG PATHS /usr/lib/llvm-19/lib/cmake/llvm NO_DEFAULT_PATH)
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_LIBRARY_DIRS}")
set(vitro_cc_sources ${PROJECT_SOURCE_DIR}/src/backend/jit/standalone)

add_library(libvitro-cc SHARED ${vitro_cc_sources}/cc.cpp ${vitro_cc_sources}/cc_compile.cpp ${vitro_cc_sources}/cc_link.cpp)
set_target_properties(
  libvitro-cc PROPERTIES OUTPUT_NAME vitro-cc CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
target_include_directories(libvitro-cc PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_include_directories(libvitro-cc SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
target_compile_options(libvitro-cc PRIVATE -fno-rtti)
target_link_directories(libvitro-cc PRIVATE ${LLVM_LIBRARY_DIRS})
target_link_libraries(libvitro-cc PRIVATE lldELF lldCommon -l:libclang-cpp.so.${LLVM_VERSION_MAJOR}.${LLVM_VERSION_MINOR} LLVM-${LLVM_VERSION_MAJOR} z zstd Threads::Threads -Wl,--exclude-libs,ALL)

add_executable(vitro-cc ${vitro_cc_sources}/cc_main.cpp)
target_include_directories(vitro-cc PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(vitro-cc PRIVATE libvitro-cc)
set_target_properties(vitro-cc PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
target_compile_definitions(vitro_backend PRIVATE VITRO_LLVM_VERSION="${LLVM_PACKAGE_VERSION}")
target_link_libraries(vitro_backend PUBLIC ${CMAKE_DL_LIBS})
add_dependencies(vitro_backend libvitro-cc vitro-cc)
# GCC 12 takes the parts of a variant that is moved for uninitialised.
target_compile_options(vitro_backend PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
