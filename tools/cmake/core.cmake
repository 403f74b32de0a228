# What keeps time is compiled a second time for the command, the drop-in library and the benchmark of speed, where GCC
# inlines calls from room to room when it links them. Tests link the rooms as they are, since each would wait for that.
set(core_default OFF)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT PARSIM_SANITIZE AND NOT PARSIM_FUZZ)
  set(core_default ON)
endif()
option(PARSIM_CORE "What keeps time is optimised as a whole (GCC)" ${core_default})

if(PARSIM_CORE)
  set(core_srcs)
  foreach(room sim sm mem noc dram tech/assist tech/caba)
    file(GLOB srcs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${room}/*.c)
    list(APPEND core_srcs ${srcs})
  endforeach()
  foreach(name control effects ldst memory step warp) # what warp_step() runs through
    list(APPEND core_srcs ${CMAKE_SOURCE_DIR}/src/exec/${name}.c)
  endforeach()
  # -O3 makes controllers of assist warps so large that an SM's cycle falls out of the host's instruction cache.
  file(GLOB assist_srcs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/tech/assist/*.c ${CMAKE_SOURCE_DIR}/src/tech/caba/*.c)
  list(FILTER assist_srcs EXCLUDE REGEX "awc_buffer|awc\\.c")
  set_source_files_properties(${assist_srcs} PROPERTIES COMPILE_OPTIONS -O2)
  add_library(parsim-core OBJECT ${core_srcs})
  target_include_directories(parsim-core PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  # What runs once a cycle has no long loops: copies of them and padding before them only fill the host's instruction
  # cache, which assist warps' code is larger than (docs/speed.md).
  target_compile_options(parsim-core PRIVATE -fno-semantic-interposition -fvisibility=hidden -flto -falign-loops=1 -falign-jumps=1 -fno-unswitch-loops -fno-peel-loops -fno-split-loops)
endif()

# parsim_core(TARGETS...): its objects come before the rooms' libraries, which then give only what is missing. lld knows
# nothing of GCC's intermediate code.
function(parsim_core)
  foreach(target ${ARGN})
    if(PARSIM_CORE)
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:parsim-core>)
      target_link_options(${target} PRIVATE -flto=auto -fuse-ld=bfd)
    endif()
  endforeach()
endfunction()
