// Which of several processes this one is, as a launcher (torchrun, Slurm, mpirun wrappers) says it
// in RANK, WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace vitro {

struct Rank {
  int64_t rank = 0, world_size = 1;
  std::optional<int64_t> local_rank, master_port;
  std::string master_addr;
};

// Nothing where RANK is not set; numbers that cannot be read are left out with a warning.
std::optional<Rank> this_rank();

// The value of `distributedInfo` in a trace.  There are no process groups: Vitro sends nothing.
std::string distributed_info(const Rank& rank);

// `path` with {rank} and {pid} filled in; {rank} is 0 for a process alone.
std::string fill_in(std::string path);

// Puts text before the ending: ("a/trace.json.gz", ".7") gives "a/trace.7.json.gz".
std::string before_ending(const std::string& path, std::string_view text);

}  // namespace vitro
