// The rank of this process, as set by a launcher (torchrun, Slurm, mpirun wrappers) in RANK,
// WORLD_SIZE, LOCAL_RANK, MASTER_ADDR and MASTER_PORT.
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

// Nothing if RANK is not set; invalid numbers are left out with a warning.
std::optional<Rank> this_rank();

// The value of `distributedInfo` in a trace.  There are no process groups: Vitro does not
// communicate.
std::string distributed_info(const Rank& rank);

// `path` with {rank} and {pid} replaced; {rank} is 0 for a single process.
std::string fill_in(std::string path);

// Inserts text before the ending: ("a/trace.json.gz", ".7") gives "a/trace.7.json.gz".
std::string before_ending(const std::string& path, std::string_view text);

}  // namespace vitro
