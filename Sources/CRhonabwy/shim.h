#pragma once
#include <rhonabwy.h>
