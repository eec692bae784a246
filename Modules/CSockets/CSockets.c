// A header-only target still needs one file to compile.
#include "CSockets.h"
