// Runs SQL on a trace through a virtual table of SQLite that reads the trace's columns in place;
// used by `vitro trace find --sql`.
#include "trace_sql.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "vitro/base/cat.h"

namespace vitro::cli {
namespace {

using analyze::EventId;
using analyze::Trace;

void give(sqlite3_context* to, std::string_view text) {
  // The trace outlives the statement.
  sqlite3_result_text64(to, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8);
}
void give(sqlite3_context* to, int64_t number) {
  number == analyze::none ? sqlite3_result_null(to) : sqlite3_result_int64(to, number);
}

struct Column {
  const char* declared;
  void (*give_of)(sqlite3_context* to, const Trace& trace, EventId e);
};

const analyze::TrackInfo& track_of(const Trace& trace, EventId e) {
  return trace.tracks()[trace.track_ids()[e]];
}

constexpr Column columns[] = {
    {"id INTEGER", [](auto* to, const Trace&, EventId e) { give(to, int64_t{e}); }},
    {"ts INTEGER", [](auto* to, const Trace& t, EventId e) { give(to, t.ts()[e]); }},
    {"dur INTEGER", [](auto* to, const Trace& t, EventId e) { give(to, t.dur()[e]); }},
    {"name TEXT", [](auto* to, const Trace& t, EventId e) { give(to, t.name(e)); }},
    {"category TEXT", [](auto* to, const Trace& t, EventId e) { give(to, t.category(e)); }},
    {"phase TEXT", [](auto* to, const Trace& t,
                      EventId e) { give(to, std::string_view(t.phases().data() + e, 1)); }},
    {"pid TEXT", [](auto* to, const Trace& t, EventId e) { give(to, track_of(t, e).pid); }},
    {"tid TEXT", [](auto* to, const Trace& t, EventId e) { give(to, track_of(t, e).tid); }},
    {"process TEXT", [](auto* to, const Trace& t, EventId e) { give(to, track_of(t, e).process); }},
    {"thread TEXT", [](auto* to, const Trace& t, EventId e) { give(to, track_of(t, e).thread); }},
    {"correlation INTEGER", [](auto* to, const Trace& t, EventId e) { give(to, t.links()[e]); }},
    {"external_id INTEGER",
     [](auto* to, const Trace& t, EventId e) { give(to, t.external_ids()[e]); }},
};

struct Table : sqlite3_vtab {
  const Trace* trace = nullptr;
};
struct Cursor : sqlite3_vtab_cursor {
  uint64_t at = 0, end = 0;
};

constexpr int all_events = 0, one_event = 1;  // plans

int connect(sqlite3* base, void* trace, int, const char* const*, sqlite3_vtab** made, char**) {
  std::string declared = "CREATE TABLE events(";
  for (const Column& column : columns) declared += cat(column.declared, ",");
  declared.back() = ')';
  if (const int error = sqlite3_declare_vtab(base, declared.c_str())) return error;
  auto* table = new Table{};
  table->trace = static_cast<const Trace*>(trace);
  *made = table;
  return SQLITE_OK;
}

int disconnect(sqlite3_vtab* table) {
  delete static_cast<Table*>(table);
  return SQLITE_OK;
}

// `id = …` looks the event up; anything else scans all events.
int plan(sqlite3_vtab* table, sqlite3_index_info* info) {
  const auto events = static_cast<double>(static_cast<Table*>(table)->trace->size());
  info->idxNum = all_events;
  info->estimatedCost = events;
  for (int i = 0; i < info->nConstraint; ++i) {
    const auto& wanted = info->aConstraint[i];
    if (!wanted.usable || wanted.iColumn > 0 || wanted.op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    info->aConstraintUsage[i].argvIndex = 1;
    info->idxNum = one_event;
    info->estimatedCost = 1;
    info->estimatedRows = 1;
    break;
  }
  return SQLITE_OK;
}

int open_cursor(sqlite3_vtab*, sqlite3_vtab_cursor** made) {
  *made = new Cursor{};
  return SQLITE_OK;
}

int close_cursor(sqlite3_vtab_cursor* cursor) {
  delete static_cast<Cursor*>(cursor);
  return SQLITE_OK;
}

int filter(sqlite3_vtab_cursor* base, int chosen, const char*, int, sqlite3_value** values) {
  auto* cursor = static_cast<Cursor*>(base);
  cursor->at = 0;
  cursor->end = static_cast<Table*>(base->pVtab)->trace->size();
  if (chosen != one_event) return SQLITE_OK;
  const int64_t id = sqlite3_value_int64(values[0]);
  const bool there = id >= 0 && static_cast<uint64_t>(id) < cursor->end;
  cursor->at = there ? static_cast<uint64_t>(id) : 0;
  cursor->end = there ? cursor->at + 1 : 0;
  return SQLITE_OK;
}

int next(sqlite3_vtab_cursor* cursor) {
  ++static_cast<Cursor*>(cursor)->at;
  return SQLITE_OK;
}

int at_end(sqlite3_vtab_cursor* base) {
  const auto* cursor = static_cast<Cursor*>(base);
  return cursor->at >= cursor->end;
}

int column(sqlite3_vtab_cursor* base, sqlite3_context* to, int which) {
  const Trace& trace = *static_cast<Table*>(base->pVtab)->trace;
  columns[which].give_of(to, trace, static_cast<EventId>(static_cast<Cursor*>(base)->at));
  return SQLITE_OK;
}

int row_id(sqlite3_vtab_cursor* base, sqlite3_int64* id) {
  *id = static_cast<sqlite3_int64>(static_cast<Cursor*>(base)->at);
  return SQLITE_OK;
}

const sqlite3_module* module() {
  static const sqlite3_module made = [] {
    sqlite3_module m{};
    m.xConnect = connect;  // without xCreate the table exists under the module's name
    m.xDisconnect = disconnect;
    m.xBestIndex = plan;
    m.xOpen = open_cursor;
    m.xClose = close_cursor;
    m.xFilter = filter;
    m.xNext = next;
    m.xEof = at_end;
    m.xColumn = column;
    m.xRowid = row_id;
    return m;
  }();
  return &made;
}

analyze::AnswerCell cell_of(sqlite3_stmt* row, int which) {
  switch (sqlite3_column_type(row, which)) {
    case SQLITE_INTEGER:
      return int64_t{sqlite3_column_int64(row, which)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(row, which);
    case SQLITE_NULL:
      return {};
    default:
      return std::string(reinterpret_cast<const char*>(sqlite3_column_text(row, which)),
                         static_cast<size_t>(sqlite3_column_bytes(row, which)));
  }
}

}  // namespace

Result<analyze::Answer> ask_sql(const Trace& trace, const std::string& statement) {
  sqlite3* opened = nullptr;
  sqlite3_open(":memory:", &opened);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> base(opened, sqlite3_close);
  const auto failed = [&] { return Failure{cat("SQL: ", sqlite3_errmsg(base.get()))}; };
  sqlite3_create_module(base.get(), "events", module(), const_cast<Trace*>(&trace));
  sqlite3_stmt* prepared = nullptr;
  if (sqlite3_prepare_v2(base.get(), statement.c_str(), -1, &prepared, nullptr)) return failed();
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> rows(prepared, sqlite3_finalize);
  if (!prepared) return Failure{"SQL: the statement is empty"};
  analyze::AnswerTable table{"rows", "Rows", {}, {}};
  const int width = sqlite3_column_count(rows.get());
  const auto names = std::make_shared<std::vector<std::string>>();
  for (int c = 0; c < width; ++c) names->emplace_back(sqlite3_column_name(rows.get(), c));
  for (const std::string& name : *names)
    table.columns.push_back({name, name, analyze::Unit::count});
  table.keeps = names;
  int step = 0;
  while ((step = sqlite3_step(rows.get())) == SQLITE_ROW) {
    std::vector<analyze::AnswerCell>& cells = table.rows.emplace_back();
    for (int c = 0; c < width; ++c) {
      cells.push_back(cell_of(rows.get(), c));
      if (std::holds_alternative<std::string>(cells.back()))
        table.columns[static_cast<size_t>(c)].unit = analyze::Unit::text;
    }
  }
  if (step != SQLITE_DONE) return failed();
  return analyze::Answer{"sql", {std::move(table)}, {}};
}

}  // namespace vitro::cli
