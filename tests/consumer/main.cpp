#include <vitro/version.h>

#include <cstdio>
#include <string>

int main() {
  std::printf("vitro %s\n", std::string(vitro::version()).c_str());
  return vitro::version().empty() ? 1 : 0;
}
