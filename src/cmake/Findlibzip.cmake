# The package's own configuration file insists on libzip's command-line programs
# (Debian's ziptool), which nobody needs here.
include(find_by_header)
find_by_header(libzip zip zip.h)
