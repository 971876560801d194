#include "vitro/report/progress.h"

#include <gtest/gtest.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace vitro::report {
namespace {

// What a child wrote to its terminal on stderr while it worked for that long.
std::string on_a_terminal(useconds_t microseconds) {
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, nullptr);
  if (child == 0) {
    {
      Progress progress("packing", 200);
      usleep(microseconds);
      progress.at(50, "loss 0.5");
    }
    _exit(0);
  }
  std::string seen;
  char bytes[256];
  for (ssize_t n; (n = read(terminal, bytes, sizeof bytes)) > 0;)
    seen.append(bytes, static_cast<size_t>(n));
  close(terminal);
  waitpid(child, nullptr, 0);
  return seen;
}

}  // namespace

TEST(Progress, prints_nothing_for_a_short_job) {
  EXPECT_EQ(on_a_terminal(0), "");
}

TEST(Progress, shows_progress_of_a_long_job_and_clears_the_line) {
  const std::string seen = on_a_terminal(1'100'000);
  EXPECT_NE(seen.find("\rpacking [######..................] 25.00%"), std::string::npos) << seen;
  EXPECT_NE(seen.find(" s left, loss 0.5\033[K"), std::string::npos) << seen;
  EXPECT_TRUE(seen.ends_with("\r\033[K")) << seen;
}

TEST(Progress, prints_nothing_if_stderr_is_not_a_terminal) {
  testing::internal::CaptureStderr();
  {
    Progress progress("packing", 2);
    usleep(1'010'000);
    progress.at(1);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace vitro::report
