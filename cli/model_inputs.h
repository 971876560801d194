// Inputs of a model from the words of a command line.
#pragma once

#include <string>
#include <vector>

#include "image_input.h"
#include "vitro/core/named_tensor.h"
#include "vitro/exported/model.h"

namespace vitro::cli {

// What a command that takes a model reads, for its help.
constexpr const char* model_words = "a file of torch.export.save or of vitro compile";

// Whether a word, which may be something else, names such a file.
bool names_model(std::string_view word);

// Error if a file to be written is the model's: it would be lost.
void check_is_another_file(const std::string& output, const std::string& model);

// The model compiled; itself if its file is of `vitro compile`.
ExportedModel compiled(const ExportedModel& model, const CompileOptions& options = {});

// What --input takes, for its help.
constexpr const char* input_words =
    "NAME=FILE.npy, NAME=FILE.npz:ARRAY, NAME=IMAGE.png or .jpg (several of one input are a "
    "batch), "
    "NAME=random:SEED, NAME=NUMBER, or FILE.npz with arrays that have the names of inputs; may be "
    "repeated";

// All arrays of a file, .npz or .safetensors.
std::vector<NamedTensor> read_arrays(const std::string& path);

// The first array that is called PREFIX.NAME or, if none is, NAME; null: there is none.
const Tensor* array_named(const std::vector<NamedTensor>& arrays, const std::string& prefix,
                          const std::string& name);

// One value for each input of the model, from words such as
//   x=a.npy   x=arrays.npz:name   x=photo.png   x=random:7   k=3   flag=true   arrays.npz
// An input that no word names takes the array in.NAME or NAME of `arrays`; otherwise it is that of
// the export's example, or random:0 if the file has none, and a literal its own value.  Random
// tensors have the sizes of the export's example: normal numbers, integers from 0 to 9.  Error: a
// word that does not fit, a file in which no array is called as an input or, unless
// `may_be_example`, an input that nothing names.  `made_up`, if given, gets the inputs that nothing
// names, with what they are.
std::vector<ArgValue> read_inputs(const ExportedModel& model, const std::vector<std::string>& words,
                                  std::vector<NamedTensor> arrays = {}, bool may_be_example = true,
                                  const ImageOptions& images = {},
                                  std::vector<std::string>* made_up = nullptr);
// "inputs that were not given: x the export's example, y random"; empty if all were.
std::string text_of_made_up(const std::vector<std::string>& made_up);

}  // namespace vitro::cli
