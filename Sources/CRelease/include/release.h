#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/// The commit that SYNCSERVER_COMMIT named when this was built; empty where it was not set.
const char *release_commit(void);

#ifdef __cplusplus
}
#endif
