// A training run that was stopped at any moment goes on as if it had not been, to the bit.
//   Checkpoint run("run.safetensors");
//   run.add("model", model);
//   run.add("optimizer", optimizer);
//   run.add("schedule", schedule);
//   run.add("loader", loader);
//   run.load();  // false the first time
//   while (loader.position().epoch < epochs) {
//     for (const data::Sample& batch : loader) step(batch);
//     schedule.step();
//     run.save();
//   }
// What has been added must outlive the checkpoint.  Gradients are not saved: save between a step
// of the optimizer and the next backward().  The state of the random generator is part of every
// checkpoint.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/core/tensor.h"
#include "vitro/datasets/loader.h"
#include "vitro/nn/average.h"
#include "vitro/nn/module.h"
#include "vitro/optim/grad_scaler.h"
#include "vitro/optim/optimizer.h"
#include "vitro/optim/schedule.h"

namespace vitro {

// One thread at a time.
class Checkpoint {
 public:
  explicit Checkpoint(std::string path) : path_(std::move(path)) {}

  // Each `name` begins the names of what it adds in the file: parameter "fc1.weight" of the module
  // "model" is "model.fc1.weight".  Error if a name is empty, or begins those of something else.
  void add(std::string_view name, nn::Module& module);  // parameters and buffers
  void add(std::string_view name, nn::WeightAverage& average);
  void add(std::string_view name, optim::Optimizer& optimizer);
  void add(std::string_view name, optim::GradScaler& scaler);
  void add(std::string_view name, optim::Schedule& schedule);
  void add(std::string_view name, optim::ReduceLROnPlateau& schedule);
  void add(std::string_view name, data::DataLoader& loader);
  void add(std::string_view name, Tensor& tensor);
  void add(std::string_view name, int64_t& number);
  void add(std::string_view name, double& number);

  // Replaces the file, which is complete or unchanged whenever the program is stopped: safetensors,
  // numbers in its metadata.  Error if it cannot be written.
  void save() const;
  // Sets everything to what the file has; tensors are written in place.  False if there is no file.
  // Error if the file is damaged, or lists what the program lacks, what the file lacks and what
  // does not fit; then nothing is changed.
  bool load();

 private:
  struct Item {
    std::string name;
    Tensor* tensor;
    const Tensor* like;  // one of the same dtype and sizes
  };
  template <class T>
  struct Number {
    std::string name;
    std::function<T()> get;
    std::function<void(T)> set;
    T least = std::numeric_limits<T>::lowest();
  };
  void begin(std::string_view name);
  void add_number(std::string name, double& number);
  void add_number(std::string name, int64_t& number);

  std::string path_;
  std::vector<std::string> names_;
  std::vector<optim::Optimizer*> optimizers_;
  std::vector<Item> tensors_;
  std::vector<Number<double>> reals_;
  std::vector<Number<int64_t>> integers_;
};

}  // namespace vitro
