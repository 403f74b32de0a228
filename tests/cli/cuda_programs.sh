#!/usr/bin/env bash
# Our own CUDA programs, compiled by nvcc where there is one, under parsim. The executables stay
# beside the binary, so that only the first run compiles.
PROGRAMS_OUT=${PARSIM_BIN%/*}/cuda_programs exec bash "$PARSIM_TESTS/cuda/run_programs.sh"
