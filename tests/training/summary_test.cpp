// The table of a model's modules.
#include "vitro/training/summary.h"

#include <gtest/gtest.h>

#include "vitro/nn.h"

namespace vitro::nn {
namespace {

TEST(Summary, lists_modules_with_their_share_of_the_parameters) {
  struct Net : Module {
    Sequential body{*this, "body"};
    Linear head{*this, "head", 4, 2};
    Net() {
      body.add<Conv1d>(2, 4, 3, ops::ConvAttrs{}, false);
      body.add<BatchNorm1d>(4);
      body.add<ReLU>();
    }
  } net;
  net.requires_grad_();
  net.body.requires_grad_(false);
  EXPECT_EQ(summary(net), R"(------  -----------  ----------  -------  ---------
Module  Kind         Parameters    Share  Trainable
------  -----------  ----------  -------  ---------
body    Sequential           32   76.19%          0
body.0  Conv1d               24   57.14%          0
body.1  BatchNorm1d           8   19.05%          0
body.2  ReLU                  0    0.00%          0
head    Linear               10   23.81%         10
total                        42  100.00%         10
------  -----------  ----------  -------  ---------
buffers: 8; memory: 200 B
)");
}

TEST(Summary, of_a_model_without_parameters_has_no_shares) {
  Module root;
  EXPECT_NE(summary(root).find("total"), std::string::npos);
  EXPECT_NE(summary(root).find("buffers: 0; memory: 0 B"), std::string::npos);
}

}  // namespace
}  // namespace vitro::nn
