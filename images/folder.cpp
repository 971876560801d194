// Finds the images of a folder and reads them.
#include "vitro/images/folder.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>

#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/base/lower_case.h"
#include "vitro/images/file.h"

namespace vitro::images {
namespace {

namespace fs = std::filesystem;

// The names in a folder.
struct Listing {
  std::vector<std::string> folders, files;
};

Listing listing_of(const fs::path& folder) {
  Listing out;
  std::error_code problem;
  for (fs::directory_iterator it(folder, problem), end; !problem && it != end;
       it.increment(problem)) {
    std::error_code broken;  // a link that leads nowhere is a file, which cannot be read
    const bool is_folder = it->is_directory(broken);
    VITRO_CHECK(broken != std::errc::too_many_symbolic_link_levels &&
                    broken != std::errc::permission_denied,
                "ImageFolder: ", it->path().string(), " cannot be read: ", broken.message());
    (is_folder ? out.folders : out.files).push_back(it->path().filename().string());
  }
  VITRO_CHECK(!problem, "ImageFolder: ", folder.string(), " cannot be read: ", problem.message());
  std::ranges::sort(out.folders);
  std::ranges::sort(out.files);
  return out;
}

// Without links.
fs::path real_path(const fs::path& folder) {
  std::error_code problem;
  fs::path out = fs::canonical(folder, problem);
  VITRO_CHECK(!problem, "ImageFolder: ", folder.string(), " cannot be read: ", problem.message());
  return out;
}

// The folders in and below one, with their files.  `above`: those that it lies in, without links.
void find_files(const fs::path& folder, std::vector<fs::path>& above,
                std::map<std::string, std::vector<std::string>>& found) {
  const fs::path real = real_path(folder);
  VITRO_CHECK(std::ranges::find(above, real) == above.end(), "ImageFolder: ", folder.string(),
              " is a link to a folder that it lies in, ", real.string());
  above.push_back(real);
  Listing listing = listing_of(folder);
  for (const std::string& name : listing.folders) find_files(folder / name, above, found);
  found[folder.string()] = std::move(listing.files);
  above.pop_back();
}

bool is_sample(const std::string& path, const ImageFolderOptions& options) {
  if (options.is_valid_file) return options.is_valid_file(path);
  const std::string small = lower_case(path);
  return std::ranges::any_of(options.extensions,
                             [&](const std::string& ending) { return small.ends_with(ending); });
}

std::string list_of(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

}  // namespace

ImageFolder::ImageFolder(const std::string& root, ImageFolderOptions options)
    : options_(std::move(options)) {
  classes_ = listing_of(root).folders;
  VITRO_CHECK(!classes_.empty(), "ImageFolder: there is no class folder in ", root,
              "; images are expected in ", root, "/CLASS/");
  std::vector<std::string> empty;
  std::vector<fs::path> above{real_path(root)};
  for (size_t i = 0; i < classes_.size(); ++i) {
    std::map<std::string, std::vector<std::string>> found;
    find_files(fs::path(root) / classes_[i], above, found);
    const size_t before = samples_.size();
    for (const auto& [folder, files] : found) {
      for (const std::string& name : files) {
        std::string path = (fs::path(folder) / name).string();
        if (is_sample(path, options_))
          samples_.push_back({std::move(path), static_cast<int64_t>(i)});
      }
    }
    if (samples_.size() == before) empty.push_back(classes_[i]);
  }
  VITRO_CHECK(empty.empty() || options_.allow_empty, "ImageFolder: found no image of the classes ",
              list_of(empty), " in ", root,
              options_.is_valid_file ? "" : "; names of images end in ",
              options_.is_valid_file ? "" : list_of(options_.extensions),
              " (allow_empty accepts such classes)");
}

data::Sample ImageFolder::get(int64_t index, data::Random& random) const {
  check_index(index);
  const File& file = samples_[static_cast<size_t>(index)];
  Tensor image = read_image(file.path, options_.channels).value();
  if (options_.transform) image = (*options_.transform)(image, random);
  return {std::move(image), Tensor::from<int64_t>({file.class_index}, {})};
}

}  // namespace vitro::images
