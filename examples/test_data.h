// Where the lessons find the repository's small files: CMake says so, else from the root of the
// repository.
#pragma once

#ifndef VITRO_TEST_DATA
#define VITRO_TEST_DATA "tests/data"
#endif
