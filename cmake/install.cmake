# What `cmake --install` puts below the prefix: libraries, headers, tool, models, documents, completions, and the two
# ways to find them again, stickslip.pc for pkg-config and stickslipConfig.cmake for find_package(stickslip).
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/stickslip)

# Two export sets: who links the shared library needs none of the development packages that the static one needs.
install(TARGETS shared EXPORT stickslip DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS static EXPORT stickslip-static DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT stickslip NAMESPACE stickslip:: FILE stickslipTargets.cmake DESTINATION ${package_dir})
install(EXPORT stickslip-static NAMESPACE stickslip:: FILE stickslipStaticTargets.cmake DESTINATION ${package_dir})
configure_package_config_file(cmake/stickslipConfig.cmake.in stickslipConfig.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(stickslipConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/stickslipConfig.cmake ${PROJECT_BINARY_DIR}/stickslipConfigVersion.cmake
        DESTINATION ${package_dir})

string(REPLACE ";" " " pc_libs_private "${stickslip_link_flags}")
file(RELATIVE_PATH pc_up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)  # from stickslip.pc to the prefix
configure_file(cmake/stickslip.pc.in stickslip.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/stickslip.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(DIRECTORY include/stickslip DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES ${models} DESTINATION ${CMAKE_INSTALL_DATADIR}/stickslip/models)

# As they lie here, so that the links from README.md to docs/ and examples/ lead somewhere.
install(FILES README.md CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR})

# The tool writes its own completions, from the same tables as its help.
if(TARGET tool)
  install(TARGETS tool DESTINATION ${CMAKE_INSTALL_BINDIR})
  foreach(shell bash zsh fish)
    set(file ${PROJECT_BINARY_DIR}/completion.${shell})
    add_custom_command(OUTPUT ${file} COMMAND tool completion ${shell} > ${file} DEPENDS tool
                       COMMENT "Writing the ${shell} completion" VERBATIM)
    list(APPEND completions ${file})
  endforeach()
  add_custom_target(completions ALL DEPENDS ${completions})
  install(FILES ${PROJECT_BINARY_DIR}/completion.bash RENAME stickslip
          DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${PROJECT_BINARY_DIR}/completion.zsh RENAME _stickslip
          DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${PROJECT_BINARY_DIR}/completion.fish RENAME stickslip.fish
          DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()

add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DMANIFEST=${PROJECT_BINARY_DIR}/install_manifest.txt
                  -P ${PROJECT_SOURCE_DIR}/cmake/uninstall.cmake COMMENT "Removing what was installed" VERBATIM)
