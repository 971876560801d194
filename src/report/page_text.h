// Scripts and styles of pages: the files *.js and *.css of a folder, in the library compressed
// (cmake/page_texts.cmake).  sort.js is `sort_js`:
//   extern const PageText sort_js;  page.script(text_of(sort_js));
#pragma once

#include <cstddef>
#include <string>

namespace vitro::report {

struct PageText {
  const unsigned char* packed;
  size_t packed_size, size;
};

extern const PageText page_css, svg_css, plot_css, flame_css, sort_js, view_js, flame_js;

std::string text_of(const PageText& text);

}  // namespace vitro::report
