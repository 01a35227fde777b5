#include "release.h"

const char *release_commit(void) { return SYNCSERVER_COMMIT; }
