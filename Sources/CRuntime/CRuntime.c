#include "CRuntime.h"

_Thread_local struct domesday_construction domesday_construction_state;
