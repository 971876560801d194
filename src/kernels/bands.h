// Images that pass through several products in bands of lines: how their lines are cut into tasks,
// for generated kernels and for the host that launches them.
//   const BandCut bands = cut_bands(images, lines, most, least, threads);
//   for (long task = 0; task < bands.count; ++task) {
//     const Band band = bands.band(task);             // lines of the last result
//     const Lines wanted = lines_below(band.lines, in_lines, stride, padding, reach);
//     ...                                             // lines of the result before it
//   }
#pragma once

namespace vitro::kernels {

// Lines [first, end) of an image.
struct Lines {
  long first, end;
};

struct Band {
  long image;
  Lines lines;
};

struct BandCut {
  long lines, of_image, count;  // lines of an image; bands of an image, and of all

  // Those of one image are consecutive; their heights differ by at most one line.
  [[gnu::always_inline]] Band band(long task) const {
    const long at = task % of_image, low = lines / of_image, higher = lines % of_image,
               first = at * low + (at < higher ? at : higher);
    return {task / of_image, {first, first + low + (at < higher)}};
  }
};

// Bands of at most `most` lines. If threads would have fewer than two each, lower ones, but of at
// least `least` lines: every thread computes lines again that its first band shares with another
// thread's.
[[gnu::always_inline]] inline BandCut cut_bands(long images, long lines, long most, long least,
                                                long threads) {
  const long wanted = threads > 1 && images > 0 ? (2 * threads + images - 1) / images : 1,
             allowed = lines / least, more = wanted < allowed ? wanted : allowed,
             needed = (lines + most - 1) / most, of_image = needed > more ? needed : more;
  return {lines, of_image, images * of_image};
}

// The lines of an operand that windows need for some lines of their result: line i needs `reach` of
// them from i * stride - padding on, of which `lines` exist.
[[gnu::always_inline]] inline Lines lines_below(Lines of, long lines, long stride, long padding,
                                                long reach) {
  const auto inside = [](long line, long low, long high) {
    return line < low ? low : line < high ? line : high;
  };
  const long first = inside(of.first * stride - padding, 0, lines);
  return {first, inside((of.end - 1) * stride - padding + reach, first, lines)};
}

}  // namespace vitro::kernels
