// The part of SQLite's C API that Swift cannot call by itself.
#pragma once
#include <sqlite3.h>
