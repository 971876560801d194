// The codes of capture: breaks, recompiles, fallbacks and refusals, each declared once with its
// text for users.  `vitro explain` and docs/codes.md print them; capture/codes.h names them.
#include "capture/codes.h"

namespace vitro::capture {

const Code not_comparable{
    "V0101", "a frozen call cannot be told from another one",
    "With frozen, a call whose arguments equal those of an earlier one does not run the function's "
    "code. An argument that is neither tensor, number, text nor a structure of these has to be "
    "comparable for that; a pointer to numbers tells nothing about them.",
    "struct Config { int layers; };\nauto f = compile(model, {.fullgraph = true, .frozen = "
    "true});\n"
    "f(x, Config{2});",
    "Give the type operator==, say what it holds with vitro::Flatten, or let the function capture "
    "the value instead of taking it."};
const Code not_repeatable{
    "V0102", "a frozen call could not repeat something",
    "With frozen, the function's code is not run again; whatever it does beside ops on tensors "
    "would be missing: numbers or texts in its result, random numbers, looks at elements, tensors "
    "made from host data or kept elsewhere, arguments that it gives other values.",
    "return std::make_pair(exp(x), 3);",
    "Return tensors computed from the arguments, or leave out frozen."};

const Code item_break{
    "V0201", "item() needs a value",
    "The program asks for a number that a tensor holds, so what was captured so far has to run. "
    "The function is compiled in two segments, before and after.",
    "if (sum(x).item<float>() > 0) { ... }",
    "Keep the decision in tensors (where), or read numbers after the function has returned."};
const Code pointer_break{
    "V0202", "elements are read through a pointer",
    "data(), to_vector() or printing looks at elements, so what was captured so far has to run.",
    "float* p = exp(x).data<float>();",
    "Look at elements after the function has returned; write the work in ops."};
const Code other_break{
    "V0203", "a tensor is handed to somebody else",
    "Another library or thread takes a tensor that is not computed yet, so the segment ends.", "",
    "Hand tensors over after the function has returned."};
const Code asked_break{"V0204", "graph_break() was called",
                       "The program asked for the segment to end here.",
                       "vitro::graph_break(\"why\");", "Remove the call to have one graph."};
const Code disabled_break{"V0205", "a part is not to be compiled",
                          "The program runs a part of itself eagerly with disable().",
                          "auto plain = vitro::disable(f);", "Remove disable() to have one graph."};
const Code long_break{"V0206", "the segment is long",
                      "A segment has a largest number of ops (VITRO_SEGMENT_LIMIT); a loop of the "
                      "program that runs often makes long ones.",
                      "", "Compile the body of the loop instead of the loop."};

const Code loop_break{
    "V0207", "a loop goes round a varying number of times",
    "The number of rounds differed in a few calls, and each number would be a graph of its own. "
    "The segment ends before each round, so that the body is compiled once and runs as often as it "
    "is gone through.",
    "for (int i = 0; i < n; ++i) x = step(x);",
    "Nothing; or compile the body of the loop by itself."};

const Code size_break{
    "V0208", "a size that data decide is asked for",
    "How many elements a mask picks (nonzero, masked_select, boolean indexing) is not known before "
    "the op has run. Ops go on without the number, but the program, or an op that has to compare "
    "the size with another one, asks for it, so what was captured so far has to run.",
    "Tensor at = nonzero(x); if (at.size(0) > 0) { ... }",
    "Keep the size symbolic: give it to ops as it is, and compare after the function has returned. "
    "Where it has to equal another size, select both by one mask."};

const Code op_differs{"V0301", "another op is called",
                      "At this place an earlier call of the function did something else, or ended, "
                      "as an if on a value of the host does. The trace tree forks: both ways are "
                      "kept.",
                      "x = flag ? exp(x) : sigmoid(x);", "Nothing, if the ways are few."};
const Code inputs_differ{"V0302", "a tensor has another shape or dtype",
                         "A tensor that comes from outside differs from what was recorded. Sizes "
                         "that differ become symbols, other differences make a new path.",
                         "f(ones({2})); f(ones({3}));",
                         "Nothing for a size: it is a symbol from now on. dynamic = true or "
                         "mark_dynamic(tensor, dim) make it one from the first call on."};
const Code number_differs{
    "V0303", "a plain number varies",
    "A number given to an op differs from the recorded one; elementwise ops "
    "then take it as an argument of their kernels, and composites are taken as "
    "the ops that they are written in.",
    "mul(x, learning_rate);",
    "Nothing: once it is known at a place, other ways to that place know it too."};
const Code attribute_differs{"V0304", "an attribute differs",
                             "An op is called with other attributes than before. A position or a "
                             "size becomes a symbol; another attribute makes a new path.",
                             "sum(x, {dim});",
                             "Nothing for a position or a size: it is a symbol from now on. Else "
                             "keep attributes the same from call to call."};
const Code sizes_differ{"V0305", "a question about sizes has another answer",
                        "A symbolic size was compared with something, by the program, by an op or "
                        "while kernels were made, and this time the answer differs, so that the "
                        "recorded way, or what was compiled for it, does not hold.",
                        "if (x.size(0) < 8) { ... }", "Nothing, if the answers are few."};
const Code modes_differ{"V0306", "gradients or autocast are switched differently",
                        "Modes of the thread are recorded with each op.", "vitro::NoGrad off;",
                        "Call the function under the same modes."};
const Code aliases_differ{"V0307", "tensors share memory differently",
                          "Which tensors from outside share memory is recorded.",
                          "f(x, x); f(x, y);", "Nothing, if the patterns are few."};
const Code too_many_ways{"V0308", "too many ways to go on",
                         "A place of the function was recorded in as many ways as allowed "
                         "(VITRO_RECOMPILE_LIMIT); the rest of a call that goes another way runs "
                         "eagerly. A frozen function with other arguments runs its own code, with "
                         "compiled kernels.",
                         "",
                         "Find what varies in the reasons of the recompiles, and make it a "
                         "tensor, or a size marked as dynamic."};
const Code too_much_recorded{"V0309", "the trace tree is full",
                             "As many ops are recorded for the function as allowed "
                             "(VITRO_RECORD_LIMIT); what is new runs eagerly.",
                             "", "Compile smaller functions."};

const Code results_differ{
    "V0310", "other results are kept",
    "A segment gives those of its results that somebody still holds; this call holds others than "
    "earlier ones, so that a graph with other outputs is made.",
    "Tensor y = exp(x); if (keep) kept = y; return sum(y);", "Nothing, if the sets are few."};

const Code not_compiled{
    "V0601", "a segment could not be compiled",
    "The backend failed, or a backend of the program's own takes no symbols where the graph has "
    "one that is not the size of an input; the segment is run op by op, with the same results.",
    "", "Where the backend is the program's own, correct it; else please report the reason."};
const Code no_such_backend{"V0602", "there is no such backend",
                           "compile() is asked for a backend that nobody registered; it says which "
                           "there are, and which was probably meant.",
                           "compile(f, {.backend = \"inductr\"});",
                           "Correct the name, or call register_backend() first."};
const Code write_not_a_value{"V0603", "a write cannot be said in values",
                             "A write in place goes through a view that cannot be turned around, "
                             "or would change how a tensor lies in memory, so the segment is run "
                             "op by op.",
                             "", "Write into the tensor itself, or make a new one."};
const Code shared_memory_written{"V0604", "tensors overlap, and one is written",
                                 "Two tensors from outside overlap in memory, one is written, and "
                                 "they are no windows of one vector: their dtypes differ, or their "
                                 "elements lie across each other. Or what is written meets the "
                                 "same memory twice, so that the order of writing decides. The "
                                 "segment is run op by op.",
                                 "",
                                 "Give the function tensors of one dtype, or memory of its own."};
const Code run_failed{
    "V0605", "a compiled segment failed while it ran",
    "What was compiled gave up in the middle of a call, through no fault of the "
    "data. That call ran op by op, with the same results.",
    "", "Where the backend is the program's own, correct it; else please report the reason."};
const Code budget_is_spent{
    "V0607", "the function has been compiled as often as allowed",
    "So many segments were compiled for the function (VITRO_COMPILE_LIMIT), or compiling took so "
    "long (VITRO_COMPILE_SECONDS), that new ones run op by op; those that are there stay.",
    "",
    "Find what varies in the reasons of the recompiles, and make it a tensor or a number that is "
    "given to an op; or allow more."};

const Code other_outputs{
    "V0606", "a backend gave something else than the graph's outputs",
    "A backend of the program's gave other tensors than the graph says: another number of them, "
    "undefined ones, or another shape or dtype. None of them was used; the segment is run op by op "
    "from then on, with the results of eager.",
    "return [](std::span<const Operand>) { return std::vector<Tensor>{}; };",
    "Correct the backend; graph.outputs() says what is wanted, symbolic sizes take those of the "
    "call."};

}  // namespace vitro::capture
