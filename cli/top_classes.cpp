#include "top_classes.h"

#include <algorithm>
#include <cmath>
#include <fstream>

#include "vitro/base/cat.h"
#include "vitro/base/error.h"
#include "vitro/ops/create.h"
#include "vitro/ops/norm.h"
#include "vitro/ops/sort.h"
#include "vitro/ops/view.h"
#include "vitro/report/table.h"
#include "vitro/report/units.h"

namespace vitro::cli {
namespace {

constexpr int64_t usual_count = 5;
constexpr int64_t most_rows = 64;  // of one output

std::vector<std::string> read_labels(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> out;
  for (std::string line; std::getline(file, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    out.push_back(line);
  }
  while (!out.empty() && out.back().empty()) out.pop_back();
  VITRO_CHECK(!out.empty(), path, ": cannot be read, or has no lines");
  return out;
}

// Whether a row is of probabilities already.
bool are_probabilities(const Tensor& row) {
  double sum = 0;
  for (const float x : row.to_vector<float>()) {
    if (!(x >= 0 && x <= 1)) return false;
    sum += x;
  }
  return std::abs(sum - 1) < 1e-2;
}

}  // namespace

TopClasses::TopClasses(int count, const std::string& labels)
    : count_(count > 0 ? count : usual_count) {
  if (!labels.empty()) labels_ = read_labels(labels);
}

bool TopClasses::has_classes(const Tensor& output) const {
  if (!is_floating(output.dtype()) || output.rank() < 1 || output.rank() > 2) return false;
  const int64_t classes = output.sizes().back().value();
  return classes > 1 && (labels_.empty() || classes == static_cast<int64_t>(labels_.size()));
}

std::string TopClasses::text(const ModelResults& results) const {
  std::string out;
  for (size_t i = 0; i < results.size(); ++i) {
    const auto* tensor = std::get_if<Tensor>(&results.value(i));
    if (tensor && tensor->defined() && has_classes(*tensor)) out += text(results.name(i), *tensor);
  }
  VITRO_CHECK(!out.empty(), "--top: no output is of floating point with the sizes [N, ",
              labels_.empty() ? "CLASSES" : cat(labels_.size()), "]",
              labels_.empty() ? "" : ", as there are labels");
  return out;
}

std::string TopClasses::text(const std::string& name, const Tensor& output) const {
  const int64_t classes = output.sizes().back().value();
  const Tensor rows = reshape(to(output, DType::f32), {-1, classes});
  const int64_t count = rows.sizes()[0].value(), shown = std::min(count, most_rows);
  report::Table table({{count > 1 ? "Row" : name, report::Align::left},
                       {"Class"},
                       {"Label", report::Align::left},
                       {"Value"},
                       {"Probability"}});
  for (int64_t r = 0; r < shown; ++r) {
    const Tensor row = select(rows, 0, r);
    const std::vector<float> shares =
        (are_probabilities(row) ? row : softmax(row, 0)).to_vector<float>();
    const auto [values, indices] = topk(row, std::min(count_, classes));
    const std::vector<float> best = values.to_vector<float>();
    const std::vector<int64_t> where = indices.to_vector<int64_t>();
    for (size_t k = 0; k < best.size(); ++k) {
      const auto at = static_cast<size_t>(where[k]);
      table.row({k == 0 && count > 1 ? cat(name, '[', r, ']') : "", cat(where[k]),
                 labels_.empty() ? "" : labels_[at], cat(best[k]),
                 report::percent_text(shares[at], 1)});
    }
  }
  std::string out = table.text();
  if (count > shown) out += cat(count - shown, " more rows of ", name, "\n");
  return out;
}

}  // namespace vitro::cli
