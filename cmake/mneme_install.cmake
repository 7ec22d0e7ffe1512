# Filled in when the library can be installed.
