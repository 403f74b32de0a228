# parsim-workloads: all hosts and the harness in one program, with the device code inside. It is
# linked against libcuda by name only (no run path): `parsim run` or LD_LIBRARY_PATH gives it ours, a
# machine with a GPU its own.
file(GLOB wl_srcs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/workloads/*/*.c)
list(FILTER wl_srcs EXCLUDE REGEX "/ax-") # for an AArch64 core: tools/a64/ax_build
file(GLOB wl_ptx CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/workloads/*/*.ptx)
file(GLOB gen_srcs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/workloads/common/gen_*.c)
list(REMOVE_ITEM wl_srcs ${gen_srcs})
add_library(parsim-generators STATIC ${gen_srcs}) # apart, so that tests/generators can measure them
target_include_directories(parsim-generators PUBLIC ${CMAKE_SOURCE_DIR}/workloads/common
                           ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include
                           ${CMAKE_SOURCE_DIR}/include/cuda)
target_link_libraries(parsim-generators PUBLIC m)
add_executable(parsim-workloads ${wl_srcs})
target_link_libraries(parsim-workloads PRIVATE parsim-generators cuda-dropin)
set_source_files_properties(${CMAKE_SOURCE_DIR}/workloads/common/wl_table.c PROPERTIES
                            COMPILE_DEFINITIONS WL_DIR="${CMAKE_SOURCE_DIR}/workloads"
                            OBJECT_DEPENDS "${wl_ptx}")
set_target_properties(parsim-workloads PROPERTIES SKIP_BUILD_RPATH ON
                      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
