#pragma once
// epoll(7) and eventfd(2): Swift's view of glibc lacks them.
#include <sys/epoll.h>
#include <sys/eventfd.h>
