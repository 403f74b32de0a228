#!/usr/bin/env bash
# Our own CUDA programs, compiled by nvcc where there is one, under parsim.
exec bash "$PARSIM_TESTS/cuda/run_programs.sh"
