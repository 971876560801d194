// Includes all of optim: optimizers, schedules of learning rates.
#pragma once

#include "vitro/optim/lbfgs.h"
#include "vitro/optim/optim.h"
#include "vitro/optim/schedule.h"
