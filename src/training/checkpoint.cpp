// Checkpoints: a list of tensors and numbers of the program, and a file of safetensors.
#include "vitro/training/checkpoint.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/core/generator_state.h"
#include "vitro/core/interpreter.h"
#include "vitro/io/safetensors.h"
#include "vitro/ops/create.h"

namespace vitro {
namespace {

constexpr std::string_view generator = "generator", format = "format";
constexpr std::string_view this_format = "vitro.checkpoint.1";

template <class T>
std::optional<T> parsed(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || at != end) return std::nullopt;
  return value;
}

// What a file and a program do not agree on.
class Differences {
 public:
  void add(std::string_view name, const auto&... what) {
    text_ += cat("\n  ", name, ": ", what...);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

// A value for a number of the program, once everything is known to fit.
template <class T>
using Settings = std::vector<std::pair<const std::function<void(T)>*, T>>;

template <class T, class Numbers>
Settings<T> settings_of(const Numbers& numbers, std::map<std::string, std::string>& left,
                        Differences& wrong) {
  Settings<T> out;
  for (const auto& number : numbers) {
    const auto found = left.extract(number.name);
    const std::optional<T> value = found ? parsed<T>(found.mapped()) : std::nullopt;
    if (value && !(*value < number.least))
      out.emplace_back(&number.set, *value);
    else if (found)
      wrong.add(number.name, "the file has \"", std::string_view(found.mapped()),
                "\", which is not such a number");
    else
      wrong.add(number.name, "missing in the file");
  }
  return out;
}

}  // namespace

void Checkpoint::begin(std::string_view name) {
  VITRO_CHECK(!name.empty(), "Checkpoint: a name is empty");
  VITRO_CHECK(name != generator && name != format, "Checkpoint: the name ", name, " is reserved");
  for (const std::string& known : names_) {
    const std::string_view shorter = known.size() < name.size() ? std::string_view(known) : name;
    const std::string_view longer = known.size() < name.size() ? name : std::string_view(known);
    VITRO_CHECK(!longer.starts_with(shorter) ||
                    (longer.size() > shorter.size() && longer[shorter.size()] != '.'),
                "Checkpoint: the name ", name, " is that of something else, or begins with it (",
                std::string_view(known), ")");
  }
  names_.emplace_back(name);
}

void Checkpoint::add(std::string_view name, nn::Module& module) {
  begin(name);
  for (const auto& [own, tensor] : module.named_parameters())
    tensors_.push_back({cat(name, '.', std::string_view(own)), tensor, tensor});
  for (const auto& [own, tensor] : module.named_buffers())
    tensors_.push_back({cat(name, '.', std::string_view(own)), tensor, tensor});
}

void Checkpoint::add(std::string_view name, nn::WeightAverage& average) {
  begin(name);
  for (const auto& [own, tensor] : average.named_tensors())
    tensors_.push_back({cat(name, '.', std::string_view(own)), tensor, tensor});
  add_number(cat(name, ".n_averaged"), average.mutable_count());
}

void Checkpoint::add(std::string_view name, optim::Optimizer& optimizer) {
  begin(name);
  optimizers_.push_back(&optimizer);
  const auto tensors = optimizer.named_tensors();
  const optim::Parameters& parameters = optimizer.parameters();
  for (size_t i = 0; i < tensors.size(); ++i) {
    const Tensor* like = parameters[i / (tensors.size() / parameters.size())];
    tensors_.push_back(
        {cat(name, '.', std::string_view(tensors[i].first)), tensors[i].second, like});
  }
  for (const auto& [own, number] : optimizer.named_numbers())
    add_number(cat(name, '.', std::string_view(own)), *number);
}

void Checkpoint::add(std::string_view name, optim::GradScaler& scaler) {
  begin(name);
  for (const auto& [own, tensor] : scaler.named_tensors())
    tensors_.push_back({cat(name, '.', std::string_view(own)), tensor, tensor});
  optim::GradScalerOptions& options = scaler.options();
  add_number(cat(name, ".growth_factor"), options.growth_factor);
  add_number(cat(name, ".backoff_factor"), options.backoff_factor);
  add_number(cat(name, ".growth_interval"), options.growth_interval);
}

void Checkpoint::add(std::string_view name, optim::Schedule& schedule) {
  begin(name);
  integers_.push_back({cat(name, ".steps"), [&schedule] { return schedule.steps(); },
                       [&schedule](int64_t steps) { schedule.set_steps(steps); }, 0});
}

void Checkpoint::add(std::string_view name, optim::ReduceLROnPlateau& schedule) {
  begin(name);
  auto& state = schedule.state();
  add_number(cat(name, ".best"), state.best);
  add_number(cat(name, ".bad_steps"), state.bad_steps);
  add_number(cat(name, ".cooldown"), state.cooldown);
}

void Checkpoint::add(std::string_view name, data::DataLoader& loader) {
  begin(name);
  integers_.push_back({cat(name, ".epoch"), [&loader] { return loader.position().epoch; },
                       [&loader](int64_t epoch) { loader.seek({epoch, loader.position().batch}); },
                       0});
  integers_.push_back({cat(name, ".batch"), [&loader] { return loader.position().batch; },
                       [&loader](int64_t batch) { loader.seek({loader.position().epoch, batch}); },
                       0});
}

void Checkpoint::add(std::string_view name, Tensor& tensor) {
  begin(name);
  VITRO_CHECK(tensor.defined(), "Checkpoint: ", name, " is an undefined tensor");
  tensors_.push_back({std::string(name), &tensor, &tensor});
}

void Checkpoint::add(std::string_view name, int64_t& number) {
  begin(name);
  add_number(std::string(name), number);
}

void Checkpoint::add(std::string_view name, double& number) {
  begin(name);
  add_number(std::string(name), number);
}

void Checkpoint::add_number(std::string name, double& number) {
  reals_.push_back(
      {std::move(name), [&number] { return number; }, [&number](double value) { number = value; }});
}

void Checkpoint::add_number(std::string name, int64_t& number) {
  integers_.push_back({std::move(name), [&number] { return number; },
                       [&number](int64_t value) { number = value; }});
}

void Checkpoint::save() const {
  for (optim::Optimizer* optimizer : optimizers_) optimizer->settle();
  std::vector<io::NamedTensor> tensors;
  for (const Item& item : tensors_) {
    if (item.tensor->defined()) tensors.push_back({item.name, *item.tensor});
  }
  std::map<std::string, std::string> numbers{{std::string(generator), generator_state()},
                                             {std::string(format), std::string(this_format)}};
  for (const auto& number : reals_) numbers[number.name] = cat(number.get());
  for (const auto& number : integers_) numbers[number.name] = cat(number.get());
  io::write_safetensors(path_, std::move(tensors), numbers);
}

bool Checkpoint::load() {
  if (!std::filesystem::exists(path_)) return false;
  for (optim::Optimizer* optimizer : optimizers_) optimizer->settle();
  const Result<io::Safetensors> file = io::Safetensors::read(path_);
  VITRO_CHECK(file.ok(), "Checkpoint: ", std::string_view(file.why()));
  std::map<std::string, std::string> numbers = file->metadata();
  const auto kind = numbers.extract(std::string(format));
  VITRO_CHECK(kind && kind.mapped() == this_format, "Checkpoint: ", std::string_view(path_),
              ": not a checkpoint, but another file of safetensors; Module::load reads weights");
  const auto random = numbers.extract(std::string(generator));

  Differences wrong;
  std::set<std::string_view> left;
  for (const io::SafetensorsEntry& entry : file->entries()) left.insert(entry.name);
  std::vector<Tensor> values;
  for (const Item& item : tensors_) {
    Tensor& value = values.emplace_back();
    if (left.erase(item.name) == 0) {
      // A moment that has not been made: the step with the first gradient makes it.
      if (item.tensor == item.like) wrong.add(item.name, "missing in the file");
      continue;
    }
    value = file->tensor(item.name).value();
    if (value.dtype() != item.like->dtype() || value.sizes() != item.like->sizes())
      wrong.add(item.name, "the file has ", value.dtype(), value.sizes(), ", the program ",
                item.like->dtype(), item.like->sizes());
  }
  const auto reals = settings_of<double>(reals_, numbers, wrong);
  const auto integers = settings_of<int64_t>(integers_, numbers, wrong);
  for (const std::string_view name : left) wrong.add(name, "missing in the program");
  for (const auto& [name, value] : numbers)
    wrong.add(std::string_view(name), "missing in the program");
  VITRO_CHECK(wrong.text().empty(), "Checkpoint: ", std::string_view(path_),
              " is not one of this program:", std::string_view(wrong.text()));

  if (random) set_generator_state(random.mapped());
  const NoGrad unrecorded;
  for (size_t i = 0; i < tensors_.size(); ++i) {
    Tensor& tensor = *tensors_[i].tensor;
    if (!values[i].defined() || !tensor.defined())
      tensor = values[i].defined() ? clone(values[i]) : Tensor();
    else
      copy_(tensor, values[i]);
  }
  for (const auto& [set, value] : integers) (*set)(value);
  for (const auto& [set, value] : reals) (*set)(value);
  return true;
}

}  // namespace vitro
