// Includes all of nn: modules, layers, initialization, limits on gradients.
#pragma once

#include "vitro/nn/clip.h"
#include "vitro/nn/init.h"
#include "vitro/nn/layers.h"
#include "vitro/nn/module.h"
#include "vitro/nn/recurrent.h"
