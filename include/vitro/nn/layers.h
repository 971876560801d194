// Includes the common layers: linear, convolutions, embeddings, norms and dropout. nn.h includes
// all.
#pragma once

#include "vitro/nn/convolution.h"
#include "vitro/nn/dropout.h"
#include "vitro/nn/embedding.h"
#include "vitro/nn/linear.h"
#include "vitro/nn/norms.h"
