#pragma once
// mallopt(3): Swift's view of glibc lacks it.
#include <malloc.h>
