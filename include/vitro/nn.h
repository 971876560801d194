// All of nn: modules, layers, starting values, models.
#pragma once

#include "vitro/nn/bert.h"
#include "vitro/nn/gpt2.h"
#include "vitro/nn/init.h"
#include "vitro/nn/layers.h"
#include "vitro/nn/mlp.h"
#include "vitro/nn/module.h"
