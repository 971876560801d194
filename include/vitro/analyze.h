// Includes all of analyze: reading and analyzing traces of any size.
#pragma once

#include "vitro/analyze/answer.h"
#include "vitro/analyze/compare.h"
#include "vitro/analyze/events.h"
#include "vitro/analyze/merge.h"
#include "vitro/analyze/questions.h"
#include "vitro/analyze/report.h"
#include "vitro/analyze/resident.h"
#include "vitro/analyze/trace.h"
