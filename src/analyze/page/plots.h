// Draws a table of an answer as its plot says.
#pragma once

#include "vitro/analyze/answer.h"
#include "vitro/report/html.h"

namespace vitro::analyze {

// Nothing where the table has no plot or no rows.
void draw_plot(report::Html& page, const AnswerTable& table);

}  // namespace vitro::analyze
