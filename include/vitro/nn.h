// Includes all of nn: modules, layers, containers, losses, initialization, averages, limits on
// gradients.
#pragma once

#include "vitro/nn/activations.h"
#include "vitro/nn/attention.h"
#include "vitro/nn/average.h"
#include "vitro/nn/clip.h"
#include "vitro/nn/containers.h"
#include "vitro/nn/init.h"
#include "vitro/nn/layers.h"
#include "vitro/nn/losses.h"
#include "vitro/nn/module.h"
#include "vitro/nn/pooling.h"
#include "vitro/nn/recurrent.h"
#include "vitro/nn/shapes.h"
#include "vitro/nn/transformer.h"
