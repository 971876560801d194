// Work that nobody waits for, such as compiling ahead of need: on one thread of the process, in order.
//   if (!background::run([=] { compile(graph); })) compile(graph);
#pragma once

#include <functional>

namespace vitro::background {

// Runs `task`, which must not throw, after those before it.  False: the process ends, or may have
// no more threads.  Threads: any.
bool run(std::function<void()> task);
// Whether the calling thread is the one that runs tasks.
bool is_this_thread();
// At the end of the process waits for the task that runs then, and drops the others.  To be called
// after what tasks use is loaded, which is then still there.
void end_before_what_is_loaded();

}  // namespace vitro::background
