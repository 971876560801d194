// Programs of many ops, to measure the cost of their first call (cold: with an empty kernel cache;
// warm: with a filled one).  Names contain the number of ops.
#include "harness.h"
#include "vitro/nn/init.h"
#include "vitro/ops/all.h"

namespace vitro::bench {
namespace {

constexpr int64_t rows = 32, columns = 64;

std::vector<Tensor> inputs() {
  return {nn::normal({rows, columns}, 0, 1), nn::normal({rows, columns}, 0, 1),
          nn::normal({columns, columns}, 0, 1)};
}

// A chain of elementwise ops; no two kernels are equal.
Tensor chain(const std::vector<Tensor>& in, int ops) {
  Tensor x = in[0];
  for (int i = 0; i < ops; ++i) {
    switch (i % 4) {
      case 0:
        x = x * (1 - 1e-6 * i);
        break;
      case 1:
        x = x + in[1];
        break;
      case 2:
        x = tanh(x);
        break;
      default:
        x = x - 0.25;
    }
  }
  return x;
}

// Twenty kinds of ops in a non-repeating order.
class Mixed {
 public:
  explicit Mixed(const std::vector<Tensor>& in) : in_(in), x_(in[0]), y_(in[1]) {}
  Tensor run(int ops) {
    while (count_ < ops) step(next() % 12);
    return x_ + y_;
  }

 private:
  uint32_t next() { return state_ = state_ * 1664525 + 1013904223, state_ >> 16; }
  Tensor counted(int ops, Tensor made) { return count_ += ops, made; }

  void step(uint32_t kind) {
    switch (kind) {
      case 0:
        x_ = counted(2, tanh(x_ * 0.5));
        break;
      case 1:
        x_ = counted(2, x_ + y_ * 0.25);
        break;
      case 2:
        y_ = counted(2, sigmoid(y_ - 0.5));
        break;
      case 3:
        y_ = counted(1, maximum(x_, y_));
        break;
      case 4:
        x_ = counted(1, softmax(x_, -1));
        break;
      case 5:
        x_ = counted(2, x_ - mean(x_, {-1}, true));
        break;
      case 6:
        y_ = counted(1, matmul(y_, in_[2]));
        break;
      case 7:
        y_ = counted(3, exp(-abs(y_)));
        break;
      case 8:
        x_ = counted(3, cat({slice(x_, 1, 0, columns / 2), slice(y_, 1, columns / 2, columns)}, 1));
        break;
      case 9:
        y_ = counted(3, reshape(t(reshape(y_, {columns, rows})), {rows, columns}) + x_);
        break;
      case 10:
        x_ = counted(1, gelu(x_));
        break;
      default:
        y_ = counted(3, where(x_ > 0.0, y_, y_ * 0.5));
    }
  }

  const std::vector<Tensor>& in_;
  Tensor x_, y_;
  uint32_t state_ = 1;
  int count_ = 0;
};

template <int Ops>
Program chain_of() {
  return {[](const std::vector<Tensor>& in) { return chain(in, Ops); }, inputs()};
}
template <int Ops>
Program mixed_of() {
  return {[](const std::vector<Tensor>& in) { return Mixed(in).run(Ops); }, inputs()};
}

const Add chain_1000({"chain_1000", "1000 elementwise ops, one after the other", chain_of<1000>});
const Add chain_3000({"chain_3000", "3000 of them", chain_of<3000>});
const Add chain_10000({"chain_10000", "10000 of them", chain_of<10000>});
const Add chain_30000({"chain_30000", "30000 of them", chain_of<30000>});
const Add mixed_1000({"mixed_1000", "1000 ops of many kinds, in no order", mixed_of<1000>});
const Add mixed_3000({"mixed_3000", "3000 of them", mixed_of<3000>});
const Add mixed_10000({"mixed_10000", "10000 of them", mixed_of<10000>});
const Add mixed_30000({"mixed_30000", "30000 of them", mixed_of<30000>});

}  // namespace
}  // namespace vitro::bench
