// Images of tests/data/images, and what PIL and torchvision make of them.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "vitro/core/named_tensor.h"
#include "vitro/core/tensor.h"

namespace vitro::images {

std::string sample_path(const std::string& name);
// An image of 22 x 31 pixels with other edges and gradients in each channel, u8.
Tensor sample(const std::string& name = "rgb.png", int channels = 3);

// The arrays of expected.npz, pixels [height, width, channels].
const std::vector<NamedTensor>& made_by_pil();
// An array of transforms.npz.
Tensor made_by_torchvision(std::string_view name);

// [channels, height, width] as [height, width, channels], without the last one if it is alone.
Tensor interleaved(const Tensor& image);

// A folder that exists as long as this.
struct Folder {
  explicit Folder(const std::string& name);
  ~Folder();
  Folder(const Folder&) = delete;
  // Writes an image of 1 x 1 pixels with this red, in folders that it makes.
  std::string add(const std::string& name, int red = 0) const;
  // Writes any text.
  std::string add_text(const std::string& name, std::string_view text) const;
  std::string operator/(const std::string& name) const { return (path / name).string(); }
  std::filesystem::path path;
};

// While it exists, the process lacks the rights of root, which may read everything.
class AsNobody {
 public:
  AsNobody();
  ~AsNobody();
  AsNobody(const AsNobody&) = delete;

 private:
  bool was_root_;
};

}  // namespace vitro::images
