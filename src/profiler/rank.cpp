#include "profiler/rank.h"

#include <unistd.h>

#include <charconv>
#include <cstdlib>

#include "vitro/base/cat.h"
#include "vitro/events/rare.h"
#include "vitro/report/json.h"

namespace vitro {
namespace {

void warn(std::string text) {
  events::keep(events::Message{"profiler", events::Level::warning, std::move(text)});
}

std::optional<int64_t> number(const char* variable) {
  const char* set = std::getenv(variable);
  if (!set) return std::nullopt;
  const std::string_view text = set;
  int64_t n = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), n);
  if (end.ec == std::errc{} && end.ptr == text.data() + text.size() && n >= 0) return n;
  warn(cat(variable, ": got \"", text, "\", needs an integer; left out of the trace"));
  return std::nullopt;
}

void replace_all(std::string& text, std::string_view what, const std::string& with) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + with.size()))
    text.replace(at, what.size(), with);
}

}  // namespace

std::optional<Rank> this_rank() {
  const auto rank = number("RANK");
  if (!rank) return std::nullopt;
  Rank r{*rank,
         number("WORLD_SIZE").value_or(*rank + 1),
         number("LOCAL_RANK"),
         number("MASTER_PORT"),
         {}};
  if (r.rank >= r.world_size)
    warn(cat("RANK is ", r.rank, ", but according to WORLD_SIZE there are ", r.world_size,
             " ranks"));
  if (const char* address = std::getenv("MASTER_ADDR")) r.master_addr = address;
  return r;
}

std::string distributed_info(const Rank& rank) {
  report::TextOutput out;
  report::Json json(out);
  json.begin_object().member("backend", "none").member("rank", rank.rank);
  json.member("world_size", rank.world_size);
  if (rank.local_rank) json.member("local_rank", *rank.local_rank);
  if (!rank.master_addr.empty()) json.member("master_addr", rank.master_addr);
  if (rank.master_port) json.member("master_port", *rank.master_port);
  json.member("pg_count", 0).key("pg_config").begin_array().end();
  json.end();
  out.finish();
  return out.text();
}

std::string fill_in(std::string path) {
  const auto rank = path.find("{rank}") == std::string::npos ? std::nullopt : this_rank();
  replace_all(path, "{rank}", cat(rank ? rank->rank : 0));
  replace_all(path, "{pid}", cat(getpid()));
  return path;
}

std::string before_ending(const std::string& path, std::string_view text) {
  const size_t slash = path.rfind('/'), name = slash == std::string::npos ? 0 : slash + 1;
  size_t end = path.size();
  for (const std::string_view ending :
       {".zst", ".gz", ".json", ".pftrace", ".csv", ".txt", ".svg", ".html", ".raw"}) {
    if (std::string_view(path).substr(name, end - name).ends_with(ending)) end -= ending.size();
  }
  return path.substr(0, end) + std::string(text) + path.substr(end);
}

}  // namespace vitro
