# cmake -D BINARY=… -D ARCH=… -D OUTPUT=….S -P pack_outpost.cmake
# Writes an assembler file that holds the program, its gzip form and its hash.
find_program(XXH128SUM xxh128sum REQUIRED)
find_program(GZIP gzip REQUIRED)

get_filename_component(folder ${OUTPUT} DIRECTORY)
file(MAKE_DIRECTORY ${folder})
execute_process(COMMAND ${XXH128SUM} ${BINARY} OUTPUT_VARIABLE line COMMAND_ERROR_IS_FATAL ANY)
string(SUBSTRING ${line} 0 32 hash)
set(copy ${folder}/outpost-${ARCH})
configure_file(${BINARY} ${copy} COPYONLY)
execute_process(COMMAND ${GZIP} -9nc ${copy} OUTPUT_FILE ${copy}.gz COMMAND_ERROR_IS_FATAL ANY)

file(WRITE ${OUTPUT} "
    .section .rodata
    .global yonder_outpost_${ARCH}_raw
    .global yonder_outpost_${ARCH}_raw_end
    .global yonder_outpost_${ARCH}_gzip
    .global yonder_outpost_${ARCH}_gzip_end
    .global yonder_outpost_${ARCH}_hash
    .balign 16
yonder_outpost_${ARCH}_raw:
    .incbin \"${copy}\"
yonder_outpost_${ARCH}_raw_end:
    .balign 16
yonder_outpost_${ARCH}_gzip:
    .incbin \"${copy}.gz\"
yonder_outpost_${ARCH}_gzip_end:
yonder_outpost_${ARCH}_hash:
    .asciz \"${hash}\"
    .section .note.GNU-stack,\"\",%progbits
")
