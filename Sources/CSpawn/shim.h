#pragma once
#include <spawn.h>

// posix_spawn_file_actions_addclosefrom_np(3), glibc 2.34: Swift's view of <spawn.h> lacks it.
extern int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
