// The list of a model's weights or constants, `NAME_weights_config.json`:
//   {"config": {"a.weight": {"path_name": "weight_0", "is_param": true, "use_pickle": false,
//               "tensor_meta": {"dtype": 7, "sizes": [{"as_int": 8}, …], "strides": …, …}}, …}}
#pragma once

#include <string_view>
#include <vector>

#include "io/pt2/tensor_record.h"
#include "vitro/base/result.h"

namespace vitro::io {

// `folder` is the path of the entries that the list may name, with the root: "root/data/weights/".
// What is wrong with one tensor is said in its record; a Failure (without path or entry) is of the
// list as a whole.
Result<std::vector<TensorRecord>> read_weights_config(std::string_view json,
                                                      const ZipArchive& archive,
                                                      std::string_view folder);

}  // namespace vitro::io
