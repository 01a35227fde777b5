#pragma once
// epoll(7): Swift's view of glibc lacks it.
#include <sys/epoll.h>
