// Pickles: those of torch are read; everything else is refused, and nothing is executed.
#include "io/pt2/unpickle.h"

#include <gtest/gtest.h>

#include "io/files.h"
#include "io/pt2/checkpoint.h"
#include "vitro/base/cat.h"

namespace vitro::io {
namespace {

using Kind = PickleValue::Kind;
using namespace std::string_literals;

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string why(const std::string& bytes) {
  const auto pickle = unpickle(bytes_of(bytes));
  return pickle ? "fine" : pickle.why();
}

TEST(Unpickle, a_checkpoint_of_torch_gives_its_tree) {
  const std::string file = content_of(cat(VITRO_TEST_DATA, "/packages/checkpoint.pt2"));
  const auto checkpoint = Checkpoint::over(bytes_of(file));
  ASSERT_TRUE(checkpoint) << checkpoint.why();
  const Pickle& pickle = checkpoint->pickle();
  const PickleValue& root = pickle.root();
  ASSERT_EQ(root.kind, Kind::dict);
  ASSERT_EQ(root.items.size(), 4U);
  EXPECT_EQ(pickle.at(root.items[0]).text, "state");
  EXPECT_EQ(pickle.at(root.items[2]).text, "epoch");
  EXPECT_EQ(pickle.at(root.items[3]).number, 3);
  const PickleValue& state = pickle.at(root.items[1]);
  ASSERT_EQ(state.items.size(), 4U);
  EXPECT_EQ(pickle.at(state.items[0]).text, "w");
  const PickledTensor& w = pickle.tensors.at(static_cast<size_t>(pickle.at(state.items[1]).number));
  EXPECT_EQ(w.storage_class, "FloatStorage");
  EXPECT_EQ(w.sizes, std::vector<int64_t>{2});
  EXPECT_EQ(w.strides, std::vector<int64_t>{1});
  const TensorRecord record = checkpoint->record(w, "w");
  EXPECT_EQ(record.problem, "");
  EXPECT_EQ(record.storage->size, 8U);
  EXPECT_EQ(checkpoint->state_dict().value()[0].problem, "it is not a tensor");
}

TEST(Unpickle, values_of_every_kind_are_read) {
  // {"a": [1, -1, 300, 2^40, 1.5, None, True], "b": (,)}, as pickle.dumps(…, 2) writes it.
  const std::string bytes =
      "\x80\x02}q\0(X\1\0\0\0aq\1]q\2("
      "K\1J\xff\xff\xff\xffM\x2c\1\x8a\6\0\0\0\0\0\1G\x3f\xf8\0\0\0\0\0\0"
      "N\x88"
      "eX\1\0\0\0b)u."s;
  const auto pickle = unpickle(bytes_of(bytes));
  ASSERT_TRUE(pickle) << pickle.why();
  const PickleValue& list = pickle->at(pickle->root().items[1]);
  ASSERT_EQ(list.kind, Kind::list);
  ASSERT_EQ(list.items.size(), 7U);
  const int64_t numbers[] = {1, -1, 300, int64_t{1} << 40};
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(pickle->at(list.items[i]).number, numbers[i]);
  EXPECT_EQ(pickle->at(list.items[4]).real, 1.5);
  EXPECT_EQ(pickle->at(list.items[5]).kind, Kind::none);
  EXPECT_EQ(pickle->at(list.items[6]).number, 1);
  EXPECT_EQ(pickle->at(pickle->root().items[3]).kind, Kind::tuple);
}

TEST(Unpickle, python_classes_are_refused_by_name) {
  EXPECT_EQ(why("\x80\x02"
                "cposix\nsystem\nX\2\0\0\0ls\x85R."s),
            "byte 2 of the pickle: it needs Python's \"posix.system\", and no pickle is executed: "
            "only tensors in dicts, lists and tuples are read");
  EXPECT_NE(why("cbuiltins\neval\n."s).find("it needs Python's \"builtins.eval\""),
            std::string::npos);
  EXPECT_NE(why("ctorch\nload\n."s).find("it needs Python's \"torch.load\""), std::string::npos);
  EXPECT_NE(why("ctorch.storage\n_load_from_bytes\n."s).find("it needs Python's"),
            std::string::npos);
  EXPECT_EQ(why("(iposix\nsystem\n."s),
            "byte 1 of the pickle: it has opcode 105, which torch.save does not write for tensors");
}

TEST(Unpickle, pickles_that_are_wrong_are_refused_where_they_are) {
  EXPECT_EQ(why(""), "byte 0 of the pickle: it ends too soon");
  EXPECT_EQ(why("N"), "byte 1 of the pickle: it ends too soon");
  EXPECT_EQ(why("."), "byte 0 of the pickle: it takes a value that is not there");
  EXPECT_EQ(why("N."), "fine");
  EXPECT_EQ(why("(."), "byte 1 of the pickle: it takes a value that is not there");
  EXPECT_EQ(why("\x80\x05N."), "byte 0 of the pickle: it has protocol 5, and torch.save writes 2");
  EXPECT_EQ(why("X\xff\xff\xff\xff."s), "byte 0 of the pickle: it ends within a text");
  EXPECT_EQ(why("X\xff\xff"s), "byte 0 of the pickle: it ends too soon");
  EXPECT_EQ(why("ctorch"s), "byte 0 of the pickle: it ends within a name");
  EXPECT_EQ(why("h\7."s), "byte 0 of the pickle: it recalls value 7, which is not there");
  EXPECT_EQ(why("q\7."s), "byte 0 of the pickle: it remembers a value that is not there");
  EXPECT_EQ(why("t."), "byte 0 of the pickle: it takes values since a mark, and there is none");
  EXPECT_EQ(why("NNa."), "byte 2 of the pickle: it adds to something that is not a list or dict");
  EXPECT_EQ(why("}NNNs."), "byte 4 of the pickle: it adds to something that is not a list or dict");
  EXPECT_EQ(why("}(Nu."), "byte 3 of the pickle: it adds to something that is not a list or dict");
  EXPECT_EQ(why("N)R."), "byte 2 of the pickle: it calls something that is not a function");
  EXPECT_EQ(why("NNb."),
            "byte 2 of the pickle: it sets attributes of something that is not a dict");
  EXPECT_EQ(why("NQ."),
            "byte 1 of the pickle: it refers to something outside that is not the "
            "storage of a tensor");
  EXPECT_EQ(why("\x8a\x09"s + std::string(9, '\1') + "."),
            "byte 0 of the pickle: it has an integer of more than 64 bits");
}

TEST(Unpickle, tensors_whose_parts_are_wrong_are_refused) {
  const std::string rebuild = "ctorch._utils\n_rebuild_tensor_v2\n";
  EXPECT_EQ(why(rebuild + ")R."),
            "byte 34 of the pickle: it makes a tensor without a storage and "
            "an offset");
  const std::string storage =
      "(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\0000X\3\0\0\0cpuK\1tQ"s;
  EXPECT_EQ(why(storage + "."), "fine");
  const auto tensor = [&](const std::string& rest) {
    return why(rebuild + "(" + storage + "K\0"s + rest + "tR.");
  };
  EXPECT_EQ(tensor("K\1\x85K\1\x85\x89}"), "fine");
  EXPECT_NE(tensor("NK\1\x85\x89}").find("sizes or strides are not at most 64 numbers"),
            std::string::npos);
  EXPECT_NE(tensor("N\x85K\1\x85\x89}").find("sizes or strides are not"), std::string::npos);
  std::string many = "(";
  for (int i = 0; i < 65; ++i) many += "K\1";
  EXPECT_NE(tensor(many + "tK\1\x85\x89}").find("sizes or strides are not"), std::string::npos);
  EXPECT_NE(tensor("K\1\x85K\1\x85\x89}}X\1\0\0\0cNs"s).find("is a conjugate or negative view"),
            std::string::npos);
}

TEST(Unpickle, a_value_that_contains_itself_is_only_a_value) {
  // l = []; l.append(l)
  const auto pickle = unpickle(bytes_of("]q\0h\0a."s));
  ASSERT_TRUE(pickle) << pickle.why();
  EXPECT_EQ(pickle->root().items[0], pickle->root_index);
}

}  // namespace
}  // namespace vitro::io
