#pragma once
#include <pg_query.h>
