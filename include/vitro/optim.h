// Includes all of optim: optimizers, schedules of learning rates, scales of losses.
#pragma once

#include "vitro/optim/grad_scaler.h"
#include "vitro/optim/lbfgs.h"
#include "vitro/optim/optim.h"
#include "vitro/optim/schedule.h"
