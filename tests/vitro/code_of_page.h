// The pieces of code on a page of docs, for tests that have all of them.
#pragma once

#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace vitro {

inline std::string read_page(const std::string& path) {
  std::stringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

// The code without comments and whitespace, in which the page may differ.
inline std::string bare(const std::string& code) {
  return std::regex_replace(code, std::regex("//[^\n]*|\\s+"), "");
}

// The code in the right column of the tables, and blocks.
inline std::vector<std::string> code_in(const std::string& page) {
  std::vector<std::string> out;
  std::string block;
  bool in_block = false;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      if (in_block) out.push_back(std::exchange(block, {}));
      in_block = !in_block;
    } else if (in_block) {
      block += line + '\n';
    } else if (line.starts_with("| ")) {
      const std::string right = line.substr(line.rfind(" | ", line.size() - 3) + 3);
      const std::regex span("`([^`]+)`");
      for (std::sregex_iterator at(right.begin(), right.end(), span), end; at != end; ++at)
        out.push_back(std::regex_replace((*at)[1].str(), std::regex("\\\\\\|"), "|"));
    }
  }
  return out;
}

}  // namespace vitro
