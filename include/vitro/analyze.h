// All of analyze: traces of any size, and what they say.
#pragma once

#include "vitro/analyze/analyses.h"
#include "vitro/analyze/answer.h"
#include "vitro/analyze/check.h"
#include "vitro/analyze/classes.h"
#include "vitro/analyze/critical_path.h"
#include "vitro/analyze/gaps.h"
#include "vitro/analyze/info.h"
#include "vitro/analyze/launches.h"
#include "vitro/analyze/links.h"
#include "vitro/analyze/ops.h"
#include "vitro/analyze/overlap.h"
#include "vitro/analyze/steps.h"
#include "vitro/analyze/summary.h"
#include "vitro/analyze/timeline.h"
#include "vitro/analyze/trace.h"
