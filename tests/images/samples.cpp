#include "images/samples.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/images/file.h"
#include "vitro/io/npy.h"
#include "vitro/ops/all.h"

namespace vitro::images {

namespace fs = std::filesystem;

std::string sample_path(const std::string& name) {
  return cat(VITRO_TEST_DATA "/images/", std::string_view(name));
}

Tensor sample(const std::string& name, int channels) {
  return read_image(sample_path(name), channels).value();
}

const std::vector<NamedTensor>& made_by_pil() {
  static const std::vector<NamedTensor> all = io::read_npz(sample_path("expected.npz")).value();
  return all;
}

Tensor made_by_torchvision(std::string_view name) {
  static const std::vector<NamedTensor> all = io::read_npz(sample_path("transforms.npz")).value();
  for (const NamedTensor& each : all)
    if (each.name == name) return each.tensor;
  throw_error(cat("transforms.npz has no ", name));
}

Tensor interleaved(const Tensor& image) {
  const Tensor out = contiguous(permute(image, {1, 2, 0}));
  return image.size(0) == 1 ? select(out, -1, 0) : out;
}

Folder::Folder(const std::string& name)
    : path(fs::temp_directory_path() /
           cat("vitro_images_", std::string_view(name), "_", getpid())) {
  fs::remove_all(path);
  fs::create_directories(path);
}
Folder::~Folder() {
  fs::remove_all(path);
}

std::string Folder::add(const std::string& name, int red) const {
  const Tensor pixel = Tensor::from<uint8_t>({static_cast<uint8_t>(red), 0, 0}, {3, 1, 1});
  fs::create_directories((path / name).parent_path());
  write_png(*this / name, pixel);
  return *this / name;
}

std::string Folder::add_text(const std::string& name, std::string_view text) const {
  fs::create_directories((path / name).parent_path());
  std::ofstream(path / name, std::ios::binary) << text;
  return *this / name;
}

AsNobody::AsNobody() : was_root_(geteuid() == 0) {
  VITRO_CHECK(!was_root_ || seteuid(65534) == 0, "the rights of root cannot be given up");
}
AsNobody::~AsNobody() {
  if (was_root_ && seteuid(0) != 0) std::abort();
}

}  // namespace vitro::images
