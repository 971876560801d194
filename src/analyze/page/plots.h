// Draws a table of an answer as specified by its plot.
#pragma once

#include "vitro/analyze/answer.h"
#include "vitro/report/html.h"

namespace vitro::analyze {

// Writes nothing if the table has no plot or no rows.
void draw_plot(report::Html& page, const AnswerTable& table);

}  // namespace vitro::analyze
