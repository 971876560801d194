// Work that nobody waits for, such as compiling ahead of need: on one thread of the process, in
// order.
//   if (!background::run([=] { compile(graph); })) compile(graph);
#pragma once

#include <functional>

namespace vitro::background {

// Runs `task`, which must not throw, after those before it.  False: the process ends, was forked,
// or may have no more threads.  Threads: any.
bool run(std::function<void()> task);
// Whether there is something to wait for: not on the thread that runs tasks, and not in a forked
// process, in which those of its parent are never done.
bool runs_elsewhere();
// At the end of the process waits for the task that runs then, and drops the others.  To be called
// after what tasks use is loaded, which is then still there.
void end_before_what_is_loaded();

}  // namespace vitro::background
