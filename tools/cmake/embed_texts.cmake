# embed_texts(TARGET NAME HEADER STRUCT FOLDER [EXT]): the .yaml (.EXT) files of FOLDER as one C file
# of TARGET, so that they are found wherever it is installed. It defines
#   const struct STRUCT *NAME(void);   rows {name, text}, ended by {NULL, NULL}
# as HEADER declares it.
function(embed_texts target name header struct folder)
  set(ext yaml)
  if(ARGC GREATER 5)
    set(ext ${ARGV5})
  endif()
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.${ext})
  set(texts "")
  set(rows "")
  foreach(file ${files})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    get_filename_component(base ${file} NAME_WE)
    string(MAKE_C_IDENTIFIER ${base} id)
    file(READ ${file} hex HEX)
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(APPEND texts "static const char ${id}[] = {${bytes}0};\n")
    string(APPEND rows "    {\"${base}\", ${id}},\n")
  endforeach()
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/${name}.c CONTENT
       "/* Made from the files in ${folder}. */\n#include \"${header}\"\n\n${texts}\nstatic const struct ${struct} rows[] = {\n${rows}    {NULL, NULL},\n};\n\nconst struct ${struct} *${name}(void)\n{\n    return rows;\n}\n")
  target_sources(${target} PRIVATE ${CMAKE_BINARY_DIR}/${name}.c)
endfunction()
