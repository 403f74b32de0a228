# cmake -DOUT=FILE -DSOURCE=DIR -DVERSION=V -P: FILE defines parsim_version; it is written anew only
# where that changes.
execute_process(COMMAND git -C ${SOURCE} log -1 --format=%h,\ %cs OUTPUT_VARIABLE commit ERROR_QUIET
                OUTPUT_STRIP_TRAILING_WHITESPACE)
execute_process(COMMAND git -C ${SOURCE} status --porcelain --untracked-files=no OUTPUT_VARIABLE changes ERROR_QUIET)
if(NOT commit)
  set(commit "no commit is known")
elseif(changes)
  string(APPEND commit ", changed")
endif()
set(text "/* Made by tools/cmake/write_version.cmake. */\n#include \"cmd.h\"\n\nconst char parsim_version[] = \"${VERSION} (${commit})\";\n")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT "${text}" STREQUAL "${old}")
  file(WRITE ${OUT} "${text}")
endif()
