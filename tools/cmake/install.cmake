# `cmake --install`, and `cpack` for a Debian package. The program finds its libraries and workloads
# beside itself, so all of them lie in one folder and bin/ has a link to it.
set(home ${CMAKE_INSTALL_LIBDIR}/parsim)
install(TARGETS parsim RUNTIME DESTINATION ${home})
install(TARGETS parsim-workloads RUNTIME DESTINATION ${home}/bin)
install(TARGETS cuda-dropin LIBRARY DESTINATION ${home}/lib NAMELINK_SKIP)
if(TARGET parsim-jit)
  install(TARGETS parsim-jit LIBRARY DESTINATION ${home}/lib)
endif()
install(CODE "foreach(name libcudart.so.13 libcudart.so.12 libcudart.so.11.0)
  file(CREATE_LINK libcuda.so.1 \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${home}/lib/\${name} SYMBOLIC)
endforeach()
file(MAKE_DIRECTORY \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR})
file(CREATE_LINK ../${home}/parsim \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/parsim SYMBOLIC)")

# Headers: for plug-ins (parsim.pc) and for hosts on the driver API without a toolkit.
install(DIRECTORY include/parsim DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/cuda/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/parsim/cuda)
file(RELATIVE_PATH UP_TO_PREFIX /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p) # wherever it is moved
configure_file(tools/cmake/parsim.pc.in parsim.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/parsim.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES README.md CHANGELOG.md CITATION.cff LICENSE DEVIATIONS.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN results EXCLUDE)
install(DIRECTORY assist DESTINATION ${CMAKE_INSTALL_DATADIR}/parsim FILES_MATCHING PATTERN *.ptx)

# What shells and man read is made of what --help says.
add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/man/made
                   COMMAND ${CMAKE_SOURCE_DIR}/tools/cmake/man_pages $<TARGET_FILE:parsim> ${CMAKE_BINARY_DIR}/man
                   DEPENDS parsim ${CMAKE_SOURCE_DIR}/tools/cmake/man_pages)
if(PARSIM_BUILD_TESTS) # who changes the program all day need not wait for them
  add_custom_target(man DEPENDS ${CMAKE_BINARY_DIR}/man/made)
else()
  add_custom_target(man ALL DEPENDS ${CMAKE_BINARY_DIR}/man/made)
endif()
install(DIRECTORY ${CMAKE_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN *.1)
install(FILES tools/completion/parsim.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME parsim)
install(FILES tools/completion/parsim.zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _parsim)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME parsim)
set(CPACK_PACKAGE_CONTACT "Parsim <parsim@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "GPU simulator that runs real CUDA programs without a GPU")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_STRIP_FILES ON)
find_program(SHLIBDEPS dpkg-shlibdeps)
if(SHLIBDEPS)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib)
else()
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6, libjson-c5, libyaml-0-2, libsqlite3-0, libzstd1, liblz4-1")
endif()
include(CPack)
