// All of nn: modules, layers, starting values.
#pragma once

#include "vitro/nn/init.h"
#include "vitro/nn/layers.h"
#include "vitro/nn/module.h"
