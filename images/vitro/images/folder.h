// Images in folders, one for each class:
//   train/cat/1.jpg, train/cat/other/2.png, train/dog/3.jpg
//   images::ImageFolder train("train", {.transform = images::Compose{
//       images::RandomResizedCrop(224), images::ConvertImageDtype()}});
//   data::DataLoader loader(train, {.batch_size = 32, .shuffle = true, .num_workers = 2});
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "vitro/datasets/dataset.h"
#include "vitro/images/transforms.h"

namespace vitro::images {

struct ImageFolderOptions {
  // Changes each image.
  std::optional<Transform> transform = {};
  // How names of images end, in lower case.  Those that Vitro cannot read (.bmp, .webp, …) are
  // errors when they are read, not left out; choose others here to leave them out.
  std::vector<std::string> extensions = {".jpg", ".jpeg", ".png",  ".ppm", ".bmp",
                                         ".pgm", ".tif",  ".tiff", ".webp"};
  // In place of extensions: whether a file is a sample.
  std::function<bool(const std::string& path)> is_valid_file = {};
  // Classes may have no image.
  bool allow_empty = false;
  // Of each image: 1, 3 or 4, or 0 for those of its file.
  int channels = 3;
};

// torchvision.datasets.ImageFolder.  A sample is {image, class}: u8 [channels, height, width], or
// what the transform makes of it, and i64 [].  Classes are the folders in `root` in the order of
// their names, samples the files in and below them in the order of their paths; links are followed.
// An image that cannot be read is an Error that names its file.
class ImageFolder final : public data::Dataset {
 public:
  // Error if a folder cannot be read, contains itself by a link, there is no class, or a class has
  // no image.
  explicit ImageFolder(const std::string& root, ImageFolderOptions options = {});
  int64_t size() const override { return static_cast<int64_t>(samples_.size()); }
  data::Sample get(int64_t index, data::Random& random) const override;

  struct File {
    std::string path;
    int64_t class_index = 0;
  };
  const std::vector<std::string>& classes() const { return classes_; }
  const std::vector<File>& samples() const { return samples_; }

 private:
  ImageFolderOptions options_;
  std::vector<std::string> classes_;
  std::vector<File> samples_;
};

}  // namespace vitro::images
