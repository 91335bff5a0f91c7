# CPack runs this on what it is about to pack. A .deb wants some of it in other places, or compressed;
# what goes into the .tar.gz stays as it is.
if(NOT CPACK_GENERATOR STREQUAL DEB)
  return()
endif()
set(share ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
set(doc ${share}/doc/yonder)

file(MAKE_DIRECTORY ${share}/zsh)
file(RENAME ${share}/zsh/site-functions ${share}/zsh/vendor-completions)

# Licences that every Debian has need no copy.
file(GLOB common ${doc}/third-party/common-*)
file(REMOVE ${common})
file(READ ${doc}/LICENSE licence)
file(READ ${doc}/third-party.txt parts)
string(REPLACE "those of Yonder," "those of Yonder itself," parts "${parts}")
string(REPLACE "under the licence in LICENSE" "under the licence above" parts "${parts}")
file(WRITE ${doc}/copyright "${licence}\n${parts}
The full texts of the GNU licences are /usr/share/common-licenses/LGPL-2.1 and
/usr/share/common-licenses/GPL-3.
")
file(REMOVE ${doc}/LICENSE ${doc}/third-party.txt)
string(TIMESTAMP now "%a, %d %b %Y %H:%M:%S +0000" UTC)
file(WRITE ${doc}/changelog "yonder (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * CHANGELOG.md.gz says what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${now}
")

# That the libraries are inside is the point; and no address is right for everyone who builds this.
file(WRITE ${share}/lintian/overrides/yonder "yonder: embedded-library *
yonder: bogus-mail-host Maintainer *
yonder: bogus-mail-host-in-debian-changelog *
")

find_program(GZIP gzip REQUIRED)
file(GLOB pages ${share}/man/man1/*.1)
execute_process(COMMAND ${GZIP} -9n ${pages} ${doc}/changelog ${doc}/CHANGELOG.md COMMAND_ERROR_IS_FATAL ANY)
