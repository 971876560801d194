#include <cstdio>
#include <functional>

#include "command.h"
#include "vitro/version.h"

namespace vitro::cli {
namespace {

const AddCommand version("version", "Print the version", [](CLI::App&) -> std::function<int()> {
  return [] {
    std::printf("vitro %s\n", vitro::version().data());
    return 0;
  };
});

}  // namespace
}  // namespace vitro::cli
