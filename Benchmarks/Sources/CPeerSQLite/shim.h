// SQLite's C API for the peer it is measured as.
#pragma once
#include <sqlite3.h>
