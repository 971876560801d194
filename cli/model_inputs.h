// Inputs of a model from the words of a command line.
#pragma once

#include <string>
#include <vector>

#include "vitro/exported/model.h"

namespace vitro::cli {

// One value for each input of the model, from words such as
//   x=a.npy   x=arrays.npz:name   x=random:7   k=3   flag=true
// An input that no word names is that of the export's example, or random:0 if the file has none; a
// literal its own value.
// Random tensors have the sizes of the export's example: normal numbers, integers from 0 to 9.
// Error: a word that does not fit.
std::vector<ArgValue> read_inputs(const ExportedModel& model,
                                  const std::vector<std::string>& words);

}  // namespace vitro::cli
