// Folders of images: classes, order, and what is refused.
#include "vitro/images/folder.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "error_of.h"
#include "images/samples.h"
#include "vitro/base/cat.h"
#include "vitro/datasets/loader.h"
#include "vitro/images/file.h"
#include "vitro/ops/all.h"

namespace vitro::images {
namespace {

namespace fs = std::filesystem;

std::string error_for(const std::string& root, ImageFolderOptions options = {}) {
  return error_of([&] { ImageFolder folder(root, options); });
}

// The paths below the root, with their classes.
std::vector<std::string> list(const ImageFolder& folder, const Folder& root) {
  std::vector<std::string> out;
  for (const auto& [path, number] : folder.samples())
    out.push_back(cat(path.substr(root.path.string().size() + 1), " ", number));
  return out;
}

// torchvision's order: of the paths of folders, then of names.
TEST(ImageFolder, has_classes_and_files_in_the_order_of_torchvision) {
  const Folder root("order");
  for (const char* name : {"dog/b.png", "cat/z.PNG", "cat/a/2.png", "cat/a-b/1.png",
                           "cat/a/x/3.png", "dog/a.png", "Zebra/1.png"})
    root.add(name);
  root.add_text("cat/notes.txt", "no image");
  root.add_text("readme.png", "not in a class");
  const ImageFolder folder(root.path.string());
  EXPECT_EQ(folder.classes(), (std::vector<std::string>{"Zebra", "cat", "dog"}));
  EXPECT_EQ(
      list(folder, root),
      (std::vector<std::string>{"Zebra/1.png 0", "cat/z.PNG 1", "cat/a/2.png 1", "cat/a-b/1.png 1",
                                "cat/a/x/3.png 1", "dog/a.png 2", "dog/b.png 2"}));
}

TEST(ImageFolder, gives_an_image_and_its_class) {
  const Folder root("samples");
  root.add("a/1.png", 10);
  root.add("b/1.png", 20);
  const ImageFolder folder(root.path.string());
  data::Random random(1, 2);
  const data::Sample sample = folder.get(1, random);
  EXPECT_EQ(cat(sample[0].dtype(), sample[0].sizes()), "u8[3, 1, 1]");
  EXPECT_EQ(sample[0].to_vector<uint8_t>(), (std::vector<uint8_t>{20, 0, 0}));
  EXPECT_EQ(cat(sample[1].dtype(), sample[1].sizes()), "i64[]");
  EXPECT_EQ(sample[1].item<int64_t>(), 1);
  const ImageFolder grey(root.path.string(),
                         {.transform = Compose{ConvertImageDtype()}, .channels = 1});
  EXPECT_EQ(cat(grey.get(0, random)[0].dtype(), grey.get(0, random)[0].sizes()), "f32[1, 1, 1]");
  EXPECT_EQ(error_of([&] { folder.get(2, random); }),
            "data: got sample 2, the dataset has 2 samples, from 0 on");
}

TEST(ImageFolder, chooses_files_by_their_names) {
  const Folder root("names");
  for (const char* name : {"a/1.png", "a/2.jpg", "a/3.webp"}) root.add(name);
  EXPECT_EQ(ImageFolder(root.path.string()).size(), 3);
  EXPECT_EQ(ImageFolder(root.path.string(), {.extensions = {".jpg"}}).size(), 1);
  const auto is_second = [](const std::string& path) { return path.ends_with("2.jpg"); };
  EXPECT_EQ(ImageFolder(root.path.string(), {.is_valid_file = is_second}).size(), 1);
}

TEST(ImageFolder, without_classes_or_images_is_an_error) {
  const Folder root("empty");
  const std::string path = root.path.string();
  EXPECT_EQ(error_for(path),
            cat("ImageFolder: there is no class folder in ", std::string_view(path),
                "; images are expected in ", std::string_view(path), "/CLASS/"));
  EXPECT_EQ(error_for(root / "none"),
            cat("ImageFolder: ", root / "none", " cannot be read: No such file or directory"));
  root.add("a/1.png");
  fs::create_directories(root.path / "b");
  root.add_text("c/notes.txt", "");
  EXPECT_EQ(error_for(path, {.extensions = {".png", ".jpg"}}),
            cat("ImageFolder: found no image of the classes b, c in ", std::string_view(path),
                "; names of images end in .png, .jpg (allow_empty accepts such classes)"));
  const ImageFolder folder(path, {.allow_empty = true});
  EXPECT_EQ(folder.size(), 1);
  EXPECT_EQ(folder.classes().size(), 3U);
}

TEST(ImageFolder, a_broken_image_is_an_error_that_names_the_file_and_the_batch) {
  const Folder root("broken");
  root.add("a/1.png");
  const std::string whole = encode_png(sample());
  const std::string cut = root.add_text("a/2.png", whole.substr(0, whole.size() / 2));
  fs::create_symlink("nowhere.png", root.path / "a" / "3.png");
  const ImageFolder folder(root.path.string());
  ASSERT_EQ(folder.size(), 3);
  for (const int workers : {0, 2}) {
    data::DataLoader loader(folder, {.num_workers = workers});
    int64_t batches = 0;
    EXPECT_EQ(error_of([&] {
                for ([[maybe_unused]] const data::Sample& batch : loader) ++batches;
              }),
              cat("DataLoader: batch 1 of epoch 0: ", std::string_view(cut),
                  ": PNG: the file ends too early"));
    EXPECT_EQ(batches, 1);
  }
  data::Random random(1, 2);
  EXPECT_EQ(error_of([&] { folder.get(2, random); }),
            cat(root / "a/3.png", ": there is no such file"));
}

TEST(ImageFolder, follows_links_and_refuses_loops) {
  const Folder root("links"), other("linked");
  root.add("a/1.png");
  other.add("2.png");
  fs::create_directory_symlink(other.path, root.path / "a" / "more");
  fs::create_directory_symlink(other.path, root.path / "b");
  EXPECT_EQ(list(ImageFolder(root.path.string()), root),
            (std::vector<std::string>{"a/1.png 0", "a/more/2.png 0", "b/2.png 1"}));
  fs::create_directory_symlink(root.path / "a", root.path / "a" / "self");
  EXPECT_EQ(error_for(root.path.string()),
            cat("ImageFolder: ", root / "a/self", " is a link to a folder that it lies in, ",
                fs::canonical(root.path / "a").string()));
  fs::remove(root.path / "a" / "self");
  fs::create_directory_symlink(root.path, root.path / "a" / "up");
  EXPECT_NE(error_for(root.path.string()).find("a/up is a link to a folder that it lies in"),
            std::string::npos);
  fs::remove(root.path / "a" / "up");
  fs::create_symlink("loop", root.path / "a" / "loop");
  EXPECT_EQ(
      error_for(root.path.string()),
      cat("ImageFolder: ", root / "a/loop", " cannot be read: Too many levels of symbolic links"));
}

TEST(ImageFolder, an_unreadable_folder_is_an_error) {
  const Folder root("closed");
  root.add("a/1.png");
  root.add("b/closed/1.png");
  fs::permissions(root / "b/closed", fs::perms::none);
  {
    const AsNobody nobody;
    EXPECT_EQ(error_for(root.path.string()),
              cat("ImageFolder: ", root / "b/closed", " cannot be read: Permission denied"));
  }
  fs::permissions(root / "b/closed", fs::perms::owner_all);
}

}  // namespace
}  // namespace vitro::images
