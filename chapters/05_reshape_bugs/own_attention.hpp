// Chapter 5: an attention, a layer and a cache as readers have them.
#pragma once

namespace own {

// [own]
// The report on an attention that reads its heads in the wrong order.
void print_own();
// [own]

}  // namespace own
