// Includes all of datasets: sources of samples, batches, readers of files.
#pragma once

#include "vitro/datasets/dataset.h"
#include "vitro/datasets/files.h"
#include "vitro/datasets/loader.h"
