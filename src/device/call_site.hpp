/// \file call_site.hpp
/// Which place in a kernel called.
#pragma once

#ifdef __EMSCRIPTEN__
/// WebAssembly tells nobody where a call returns to. Before each call to the
/// device, mark_sites.mjs has the kernels put here the address of what
/// source_lines_in_page.cpp reads.
extern "C" const void* mha_call_site;
#define MHA_CALL_SITE mha_call_site
#else
/// The address in the kernel that the function which says this returns to.
#define MHA_CALL_SITE __builtin_return_address(0)
#endif
