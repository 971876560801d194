// Tests the tree of modules, and what is in each, on a small model.
#include "analyze/questions/ops/modules.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "analyze/trace_files.h"
#include "vitro/analyze/questions.h"
#include "vitro/base/cat.h"

namespace vitro::analyze {
namespace {

// "depth name calls device_self device gradients host_self host", times in microseconds.
std::string line(const ModuleTimes& m) {
  return cat(m.depth, ' ', m.name, ' ', m.calls, ' ', m.device_self / 1000, ' ', m.device / 1000,
             ' ', m.gradients / 1000, ' ', m.host_self / 1000, ' ', m.host / 1000);
}

std::vector<std::string> lines_of(std::string_view text) {
  const TraceFolder folder;
  const auto trace = open_alone(folder.file("trace.json", text));
  const TraceIndex index(*trace);
  std::vector<std::string> out;
  for (const ModuleTimes& m : modules(index).value()) out.push_back(line(m));
  return out;
}

// Net calls Linear twice and Norm once; autograd's thread launches Linear's gradients, the
// optimizer a kernel outside.
constexpr std::string_view net = R"json({"traceEvents":[
    {"ph":"X","cat":"python_function","name":"nn.Module: Net_0","ts":0,"dur":100,"pid":1,"tid":1},
    {"ph":"X","cat":"python_function","name":"model.py(3): forward","ts":5,"dur":90,"pid":1,"tid":1},
    {"ph":"X","cat":"python_function","name":"nn.Module: Norm_0","ts":10,"dur":10,"pid":1,"tid":1},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":12,"dur":2,"pid":1,"tid":1,"args":{"correlation":1}},
    {"ph":"X","cat":"python_function","name":"nn.Module: Linear_0","ts":20,"dur":20,"pid":1,"tid":1},
    {"ph":"X","cat":"cpu_op","name":"aten::linear","ts":22,"dur":10,"pid":1,"tid":1},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":24,"dur":2,"pid":1,"tid":1,"args":{"correlation":2}},
    {"ph":"X","cat":"python_function","name":"nn.Module: Linear_0","ts":50,"dur":30,"pid":1,"tid":1},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":84,"dur":4,"pid":1,"tid":1,"args":{"correlation":3}},
    {"ph":"s","cat":"fwdbwd","name":"fwdbwd","id":7,"ts":22,"pid":1,"tid":1},
    {"ph":"f","cat":"fwdbwd","name":"fwdbwd","id":7,"ts":110,"pid":1,"tid":2},
    {"ph":"X","cat":"cpu_op","name":"AddmmBackward0","ts":110,"dur":20,"pid":1,"tid":2},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":112,"dur":2,"pid":1,"tid":2,"args":{"correlation":4}},
    {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","ts":140,"dur":2,"pid":1,"tid":1,"args":{"correlation":5}},
    {"ph":"X","cat":"kernel","name":"norm","ts":20,"dur":3,"pid":0,"tid":7,"args":{"correlation":1}},
    {"ph":"X","cat":"kernel","name":"mm","ts":30,"dur":40,"pid":0,"tid":7,"args":{"correlation":2}},
    {"ph":"X","cat":"kernel","name":"add","ts":90,"dur":5,"pid":0,"tid":7,"args":{"correlation":3}},
    {"ph":"X","cat":"kernel","name":"mm_grad","ts":120,"dur":50,"pid":0,"tid":7,"args":{"correlation":4}},
    {"ph":"X","cat":"kernel","name":"sgd","ts":180,"dur":8,"pid":0,"tid":7,"args":{"correlation":5}},
    {"ph":"X","cat":"gpu_memcpy","name":"Memcpy DtoH (Device -> Pageable)","ts":190,"dur":9,"pid":0,"tid":7}
  ]})json";

TEST(Modules, are_a_tree_with_the_work_that_each_launched_and_its_gradients) {
  // Of the host: Net has 100 without Norm's 10 and Linear's 50; autograd and the last launch are in
  // no module. Of the device: 3 + 40 + 50 + 5 in Net; 8 and 9 in no module.
  EXPECT_EQ(lines_of(net), (std::vector<std::string>{
                               "0 Net_0 1 5 98 50 40 100",
                               "1 Linear_0 2 90 90 50 50 50",
                               "1 Norm_0 1 3 3 0 10 10",
                               "0  0 17 17 0 22 22",
                           }));
}

TEST(Modules, of_arguments_are_a_tree_too) {
  EXPECT_EQ(lines_of(R"json({"with_modules":1,"traceEvents":[
    {"ph":"X","cat":"cpu_op","name":"aten::mm","ts":0,"dur":10,"pid":1,"tid":1,"args":{"Module Hierarchy":"net.mlp.0"}},
    {"ph":"X","cat":"cpu_op","name":"aten::add","ts":10,"dur":4,"pid":1,"tid":1,"args":{"Module Hierarchy":"net.norm"}},
    {"ph":"X","cat":"cpu_op","name":"aten::sum","ts":20,"dur":7,"pid":1,"tid":1}]})json"),
            (std::vector<std::string>{
                "0 net 0 0 0 0 0 14",
                "1 mlp 0 0 0 0 0 10",
                "2 0 0 0 0 0 10 10",
                "1 norm 0 0 0 0 4 4",
                "0  0 0 0 0 7 7",
            }));
}

TEST(Modules, that_the_file_does_not_name_are_an_empty_answer_and_do_not_read_it_again) {
  const TraceFolder folder;
  const std::string path = folder.file("trace.json", R"json([
    {"ph":"X","cat":"cpu_op","name":"aten::mm","ts":0,"dur":10,"pid":1,"tid":1}])json");
  const auto trace = open_alone(path);
  std::filesystem::remove(path);
  const TraceIndex index(*trace);
  const auto list = modules(index);
  ASSERT_TRUE(list) << list.why();
  EXPECT_TRUE(list->empty());
}

TEST(Modules, of_a_file_that_is_gone_are_an_error) {
  const TraceFolder folder;
  const std::string path = folder.file("trace.json", R"json({"with_modules":1,"traceEvents":[
    {"ph":"X","cat":"cpu_op","name":"aten::mm","ts":0,"dur":10,"pid":1,"tid":1}]})json");
  const auto trace = open_alone(path);
  std::filesystem::remove(path);
  EXPECT_FALSE(modules(TraceIndex(*trace)));
}

}  // namespace
}  // namespace vitro::analyze
