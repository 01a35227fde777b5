#pragma once
// The extern "C" face of simdjson's DOM parser; see csimdjson.cpp.
