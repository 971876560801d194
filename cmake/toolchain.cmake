# How everything is compiled and linked: C++20, position independent, with ccache and lld if available.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

find_program(VITRO_CCACHE ccache)
if(VITRO_CCACHE)  # if its cache folder is not writable (no home, or another user's), it fails every compilation
  execute_process(
    COMMAND sh -c "folder=\"$(\"$0\" --get-config=cache_dir)\" && mkdir -p \"$folder\" && test -w \"$folder\"" ${VITRO_CCACHE}
    RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
  if(failed)
    set(VITRO_CCACHE ${CMAKE_COMMAND} -E env CCACHE_DIR=${PROJECT_BINARY_DIR}/ccache ${VITRO_CCACHE})
    message(STATUS "ccache: in ${PROJECT_BINARY_DIR}/ccache, as its own folder cannot be written")
  endif()
endif()
if(VITRO_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${VITRO_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${VITRO_CCACHE})
endif()

# GCC knows the linker `lld` but not `lld-19`, so it gets the folder that contains ld.lld.
find_program(VITRO_LLD ld.lld PATHS /usr/lib/llvm-19/bin)
if(VITRO_LLD)
  cmake_path(GET VITRO_LLD PARENT_PATH lld_folder)
  add_link_options(-fuse-ld=lld $<$<CXX_COMPILER_ID:GNU>:-B${lld_folder}>)
endif()

# GCC's cold part of a function may be empty; lld then drops the unwind entry of the function after it, and an exception through
# that one terminates the process (tests/vitro/check_frames.sh).
add_compile_options($<$<CXX_COMPILER_ID:GNU>:-fno-reorder-blocks-and-partition>)

# Keeps the library small: functions are in separate sections, so that unused ones are dropped and identical ones folded, and
# inline functions, which users instantiate themselves, are not exported.
add_compile_options(-ffunction-sections -fdata-sections)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

# Plans of compiled functions on disk are those of one build of the library (base/build_id.h).
add_link_options(-Wl,--build-id=sha1)

if(VITRO_SANITIZE)
  add_compile_options(-fsanitize=${VITRO_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${VITRO_SANITIZE})
endif()
