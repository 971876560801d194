# vitro_folders(): one library per line of LAYERS, built from src/FOLDER and its sub-folders and linked to the folders that the line
# names, and one test program per folder, built from tests/FOLDER/*_test.cpp.  LAYERS is the only definition of the layering;
# a line `# tests: FOLDER OTHER...` there lets the tests of FOLDER link more.
# Indented lines, for sub-folders, are used only by tools/check_layers.py: a folder is one library.
# A folder that needs more (a library, a generated file) declares it in src/FOLDER/folder.cmake.
function(vitro_folders)
  file(STRINGS ${PROJECT_SOURCE_DIR}/LAYERS lines)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/LAYERS)
  foreach(line IN LISTS lines)
    if(line MATCHES "^# tests: ([a-z]+) (.+)$")
      string(REPLACE " " ";" extra_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
    endif()
  endforeach()
  set(folders "")
  foreach(line IN LISTS lines)
    if(NOT line MATCHES "^([a-z]+):[ ]*(.*)$")
      continue()
    endif()
    set(name ${CMAKE_MATCH_1})
    list(APPEND folders ${name})
    separate_arguments(below UNIX_COMMAND "${CMAKE_MATCH_2}")
    vitro_folder(${name} "${below}")
    vitro_folder_tests(${name} "${extra_${name}}")
  endforeach()
  set(VITRO_FOLDERS ${folders} PARENT_SCOPE)
endfunction()

# Files of the library are compiled with -O2, which is a fifth smaller than -O3, unless their folder names them for size or for speed.

# Compiles files of a folder (patterns, except those that match EXCEPT) for size, to keep the library small (the test vitro.size).
# Each of GCC's options takes from 0.1 to 0.6 % of what -Oz leaves.
set(vitro_size_options -Oz)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  list(APPEND vitro_size_options -fno-gcse -fno-move-loop-invariants -fno-partial-inlining -ftree-vectorize)
endif()
function(vitro_compile_for_size name patterns)
  list(TRANSFORM patterns PREPEND ${PROJECT_SOURCE_DIR}/src/${name}/)
  file(GLOB files CONFIGURE_DEPENDS ${patterns})
  if(ARGC GREATER 2)
    list(FILTER files EXCLUDE REGEX ${ARGV2})
  endif()
  vitro_optimise(${name} "${vitro_size_options}" ${files})
endfunction()

# Compiles files of a folder with -O3: those on the way of every call, where it saves instructions.
function(vitro_compile_for_speed name files)
  list(TRANSFORM files PREPEND ${PROJECT_SOURCE_DIR}/src/${name}/)
  vitro_optimise(${name} -O3 ${files})
endfunction()

# The level at which files of a folder are optimised.
function(vitro_optimise name level)
  set_source_files_properties(
    ${ARGN} PROPERTIES COMPILE_OPTIONS "$<$<CONFIG:Release>:${level}>" TARGET_DIRECTORY vitro_${name})
endfunction()

# Adds the scripts and styles of a folder's pages to it, as src/report/page_text.h describes.
function(vitro_page_texts name)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.css ${PROJECT_SOURCE_DIR}/src/${name}/*.js)
  set(out ${PROJECT_BINARY_DIR}/generated/${name}/page_texts.cpp)
  set(writer ${PROJECT_SOURCE_DIR}/cmake/page_texts.cmake)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} "-DFILES=${files}" -P ${writer}
    DEPENDS ${files} ${writer}
    VERBATIM)
  target_sources(vitro_${name} PRIVATE ${out})
endfunction()

# One folder as an object library; `VITRO_LOCAL_SOURCES` set by its folder.cmake replaces the glob.
function(vitro_folder name below)
  list(TRANSFORM below PREPEND vitro_)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${name}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "\\.kernel\\.cpp$|/standalone/")
  if(sources)
    add_library(vitro_${name} OBJECT ${sources})
    set(scope PUBLIC)
    vitro_warnings(vitro_${name})
    vitro_optimise(${name} -O2 ${sources})
  else()
    add_library(vitro_${name} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_include_directories(vitro_${name} ${scope} ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(vitro_${name} ${scope} ${below})
  if(EXISTS ${PROJECT_SOURCE_DIR}/src/${name}/folder.cmake)
    include(${PROJECT_SOURCE_DIR}/src/${name}/folder.cmake)
  endif()
endfunction()

function(vitro_folder_tests name extra)
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${name}/*.cpp)
  list(FILTER tests EXCLUDE REGEX "\\.kernel\\.cpp$")
  if(NOT tests OR NOT VITRO_TESTS)
    return()
  endif()
  add_executable(${name}_test ${tests})
  vitro_warnings(${name}_test)
  target_include_directories(${name}_test PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  target_compile_definitions(${name}_test PRIVATE VITRO_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  vitro_link_closure(${name}_test ${name} ${extra})
  target_link_libraries(${name}_test PRIVATE GTest::gtest GTest::gtest_main)
  if(EXISTS ${PROJECT_SOURCE_DIR}/tests/${name}/folder.cmake)
    include(${PROJECT_SOURCE_DIR}/tests/${name}/folder.cmake)
  endif()
  gtest_discover_tests(${name}_test TEST_PREFIX "${name}." DISCOVERY_TIMEOUT 60)
endfunction()

# Object libraries do not propagate their objects: a program must link the folder and everything below it.
function(vitro_link_closure target)
  set(todo ${ARGN})
  set(seen "")
  while(todo)
    list(POP_FRONT todo name)
    if(name IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${name})
    file(STRINGS ${PROJECT_SOURCE_DIR}/LAYERS row REGEX "^${name}:")
    string(REGEX REPLACE "^[a-z]+:[ ]*" "" row "${row}")
    separate_arguments(row)
    list(APPEND todo ${row})
  endwhile()
  # The lowest folder first, as in the library: statics of what is linked first are constructed first and destroyed last.
  file(STRINGS ${PROJECT_SOURCE_DIR}/LAYERS rows REGEX "^[a-z]+:")
  list(TRANSFORM rows REPLACE ":.*$" "")
  foreach(name IN LISTS rows)
    if(name IN_LIST seen)
      list(REMOVE_ITEM seen ${name})
      target_link_libraries(${target} PRIVATE vitro_${name})
    endif()
  endforeach()
  foreach(name IN LISTS seen)  # those that are not in LAYERS
    target_link_libraries(${target} PRIVATE vitro_${name})
  endforeach()
endfunction()

# GCC 12 gives false warnings about out-of-bounds accesses in SmallVector.
function(vitro_warnings target)
  target_compile_options(
    ${target} PRIVATE -Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
                      $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds>)
endfunction()

# vitro_op_samples: the reader of tests/data/op_samples, for tests of folders whose `# tests:` line in LAYERS names it.
function(vitro_op_samples)
  find_package(nlohmann_json REQUIRED)
  find_package(ZLIB REQUIRED)
  add_library(vitro_op_samples OBJECT ${PROJECT_SOURCE_DIR}/tests/op_samples.cpp)
  vitro_warnings(vitro_op_samples)
  target_compile_definitions(vitro_op_samples PRIVATE VITRO_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
  target_include_directories(vitro_op_samples PUBLIC ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(vitro_op_samples PUBLIC nlohmann_json::nlohmann_json ZLIB::ZLIB)
  add_executable(op_samples_test ${PROJECT_SOURCE_DIR}/tests/op_samples_test.cpp)
  vitro_warnings(op_samples_test)
  target_link_libraries(op_samples_test PRIVATE vitro_op_samples GTest::gtest GTest::gtest_main)
  gtest_discover_tests(op_samples_test TEST_PREFIX "tests." DISCOVERY_TIMEOUT 60)
endfunction()
