# The translator of src/jit is a module that functional execution loads when a kernel is worth it, so
# that nobody else pays for LLVM. Without LLVM's headers everything works, only slower.
find_program(LLVM_CONFIG NAMES llvm-config-14 llvm-config-15 llvm-config-16)
if(LLVM_CONFIG)
  execute_process(COMMAND ${LLVM_CONFIG} --includedir OUTPUT_VARIABLE LLVM_INCLUDE OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND ${LLVM_CONFIG} --libdir OUTPUT_VARIABLE LLVM_LIBDIR OUTPUT_STRIP_TRAILING_WHITESPACE)
  find_library(LLVM_LIBRARY NAMES LLVM LLVM-14 LLVM-15 LLVM-16 PATHS ${LLVM_LIBDIR} NO_DEFAULT_PATH)
endif()
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" OR NOT LLVM_LIBRARY OR NOT EXISTS "${LLVM_INCLUDE}/llvm-c/Core.h")
  message(STATUS "no LLVM (llvm-14-dev): kernels are not translated, functional execution is slower")
  return()
endif()
file(GLOB jit_srcs CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/jit/*.c)
add_library(parsim-jit MODULE ${jit_srcs})
target_include_directories(parsim-jit SYSTEM PRIVATE ${LLVM_INCLUDE})
target_link_libraries(parsim-jit PRIVATE parsim-ptx ${LLVM_LIBRARY})
target_link_options(parsim-jit PRIVATE -Wl,--exclude-libs,ALL -Wl,--as-needed -Wl,-Bsymbolic)
set_target_properties(parsim-jit PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib
                      LINKER_LANGUAGE C)
