// The codes of capture: breaks, recompiles, fallbacks and refusals, each declared once with its
// text for users.  `vitro explain` and docs/codes.md print them; capture/codes.h names them.
#include "capture/codes.h"

namespace vitro::capture {

const Code not_comparable{
    "V0101", "a frozen call has an argument that cannot be compared",
    "With frozen, a call whose arguments equal those of an earlier one does not run the function's "
    "code. An argument that is not a tensor, a number, text or a structure of these must therefore "
    "be comparable; comparing a pointer does not compare what it points to.",
    "struct Config { int layers; };\nauto f = compile(model, {.fullgraph = true, .frozen = "
    "true});\n"
    "f(x, Config{2});",
    "Give the type operator==, list its members with vitro::Flatten, or let the function capture "
    "the value instead of taking it as an argument."};
const Code not_repeatable{
    "V0102", "a frozen call could not repeat something",
    "With frozen, the function's code is not run again; anything it does other than ops on tensors "
    "would be missing: numbers or text in its result, random numbers, reads of elements, tensors "
    "made from host data or stored elsewhere, arguments that it modifies.",
    "return std::make_pair(exp(x), 3);",
    "Return tensors computed from the arguments, or leave out frozen."};

const Code item_break{
    "V0201", "item() needs a value",
    "The program reads a number from a tensor, so the ops captured so far must run. The function "
    "is compiled in two segments, before and after.",
    "if (sum(x).item<float>() > 0) { ... }",
    "Express the decision with tensors (where), or read numbers after the function has returned."};
const Code pointer_break{
    "V0202", "elements are read through a pointer",
    "data(), to_vector() or printing reads elements, so the ops captured so far must run.",
    "float* p = exp(x).data<float>();",
    "Read elements after the function has returned, or express the work as ops."};
const Code other_break{
    "V0203", "a tensor is passed to another thread or library",
    "Another library or thread uses a tensor that has not been computed yet, so the segment ends.",
    "", "Pass tensors on after the function has returned."};
const Code asked_break{"V0204", "graph_break() was called",
                       "The program asked for the segment to end here.",
                       "vitro::graph_break(\"why\");", "Remove the call to get one graph."};
const Code disabled_break{"V0205", "a part is excluded from compilation",
                          "The program runs part of the function eagerly with disable().",
                          "auto plain = vitro::disable(f);", "Remove disable() to get one graph."};
const Code long_break{"V0206", "the segment is long",
                      "The number of ops in a segment is limited (VITRO_SEGMENT_LIMIT); loops with "
                      "many iterations make long segments.",
                      "", "Compile the body of the loop instead of the loop."};

const Code loop_break{"V0207", "a loop has a varying number of iterations",
                      "The number of iterations differed between calls, and each number would need "
                      "its own graph. The segment ends before each iteration, so the body is "
                      "compiled once and runs for each iteration.",
                      "for (int i = 0; i < n; ++i) x = step(x);",
                      "Nothing; or compile the body of the loop as a separate function."};

const Code size_break{
    "V0208", "a data-dependent size is needed",
    "The number of elements that a mask selects (nonzero, masked_select, boolean indexing) is "
    "unknown until the op has run. Most ops do not need it, but the program, or an op that "
    "compares the size with another one, does, so the ops captured so far must run.",
    "Tensor at = nonzero(x); if (at.size(0) > 0) { ... }",
    "Keep the size symbolic: pass it to ops as it is, and compare after the function has returned. "
    "If it must equal another size, select both with the same mask."};

const Code op_differs{
    "V0301", "another op is called",
    "Here an earlier call of the function called another op or ended, for example because of an if "
    "on a host value. The trace tree forks: both paths are kept.",
    "x = flag ? exp(x) : sigmoid(x);", "Nothing, if there are few paths."};
const Code inputs_differ{"V0302", "a tensor has a different shape or dtype",
                         "An input or captured tensor differs from the recorded one. Sizes that "
                         "differ become symbols; other differences make a new path.",
                         "f(ones({2})); f(ones({3}));",
                         "Nothing for a size: it is a symbol from now on. dynamic = true or "
                         "mark_dynamic(tensor, dim) make it one from the first call. A tensor "
                         "assigned to the member of a module is not a parameter: copy_ the new "
                         "values into the parameter instead."};
const Code number_differs{
    "V0303", "a plain number varies",
    "A number passed to an op differs from the recorded one; elementwise ops then take it as an "
    "argument of their kernels, and composites are captured as the ops that they consist of.",
    "mul(x, learning_rate);",
    "Nothing: once a number is recorded as varying at a location, it varies on all paths to that "
    "location."};
const Code attribute_differs{"V0304", "an attribute differs",
                             "An op is called with different attributes than before. A position or "
                             "a size becomes a symbol; another attribute makes a new path.",
                             "sum(x, {dim});",
                             "Nothing for a position or a size: it is a symbol from now on. "
                             "Otherwise keep attributes the same from call to call."};
const Code sizes_differ{"V0305", "a comparison of sizes has a different result",
                        "A symbolic size was compared, by the program, by an op or while kernels "
                        "were compiled, and this time the result differs, so the recorded path, or "
                        "what was compiled for it, does not apply.",
                        "if (x.size(0) < 8) { ... }", "Nothing, if there are few results."};
const Code modes_differ{"V0306", "the gradient or autocast mode differs",
                        "Modes of the thread are recorded with each op.", "vitro::NoGrad off;",
                        "Call the function under the same modes."};
const Code aliases_differ{"V0307", "tensors share memory differently",
                          "The recorded path depends on which inputs share memory.",
                          "f(x, x); f(x, y);", "Nothing, if there are few patterns."};
const Code too_many_ways{
    "V0308", "too many recorded paths",
    "The number of paths recorded from one location of the function has reached its limit "
    "(VITRO_RECOMPILE_LIMIT); a call that takes another path runs eagerly from there. A frozen "
    "function with other arguments runs its own code, with compiled kernels.",
    "",
    "Find what varies in the reasons of the recompiles, and make it a "
    "tensor, or a size marked as dynamic."};
const Code too_much_recorded{"V0309", "the trace tree is full",
                             "The number of ops recorded for the function has reached its limit "
                             "(VITRO_RECORD_LIMIT); new paths run eagerly.",
                             "", "Compile smaller functions."};

const Code results_differ{
    "V0310", "other results are kept",
    "A segment returns those of its results that the program still holds; this call holds "
    "different ones than earlier calls, so a graph with other outputs is made.",
    "Tensor y = exp(x); if (keep) kept = y; return sum(y);",
    "Nothing, if there are few such sets."};

const Code not_compiled{
    "V0601", "a segment could not be compiled",
    "The backend failed, or a user backend does not take symbols, but the graph has one that is "
    "not the size of an input; the segment runs op by op, with the same results.",
    "", "If the backend is yours, correct it; otherwise please report the reason."};
const Code no_such_backend{"V0602", "there is no such backend",
                           "compile() was given a backend that is not registered; the error lists "
                           "those that are, and suggests the closest name.",
                           "compile(f, {.backend = \"inductr\"});",
                           "Correct the name, or call register_backend() first."};
const Code write_not_a_value{
    "V0603", "a write cannot be expressed functionally",
    "An in-place write goes through a view that cannot be inverted, or would change a tensor's "
    "layout in memory, so the segment runs op by op.",
    "", "Write to the tensor itself, or make a new one."};
const Code shared_memory_written{
    "V0604", "tensors overlap, and one is written",
    "Two inputs overlap in memory, one is written, and they are not windows of one vector: their "
    "dtypes differ, or their elements overlap in part. Or elements of the written tensor overlap, "
    "so the result depends on the order of writes. The segment runs op by op.",
    "", "Pass tensors of one dtype, or tensors that do not overlap."};
const Code run_failed{"V0605", "a compiled segment failed while it ran",
                      "The compiled segment failed during a call, and the data was not the cause. "
                      "That call ran op by op, with the same results.",
                      "",
                      "If the backend is yours, correct it; otherwise please report the reason."};
const Code budget_is_spent{
    "V0607", "the function has reached its limit of compilations",
    "The number of segments compiled for the function (VITRO_COMPILE_LIMIT), or the time spent on "
    "compiling them (VITRO_COMPILE_SECONDS), has reached its limit: new ones run op by op; "
    "compiled ones remain in use.",
    "",
    "Find what varies in the reasons of the recompiles, and make it a tensor or a number that is "
    "passed to an op; or raise the limit."};

const Code other_outputs{
    "V0606", "a backend returned outputs that do not match the graph",
    "A user backend returned tensors that do not match the graph's outputs: a different number of "
    "them, undefined ones, or a different shape or dtype. None of them was used; the segment runs "
    "op by op from then on, with the results of eager.",
    "return [](std::span<const Operand>) { return std::vector<Tensor>{}; };",
    "Correct the backend; graph.outputs() lists what is expected, symbolic sizes take their values "
    "from the call."};

}  // namespace vitro::capture
