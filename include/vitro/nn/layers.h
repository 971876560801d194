// Includes the layers with parameters, and dropout; names, shapes and initial values are those of
// torch.nn.
#pragma once

#include "vitro/nn/convolution.h"
#include "vitro/nn/dropout.h"
#include "vitro/nn/embedding.h"
#include "vitro/nn/linear.h"
#include "vitro/nn/norms.h"
