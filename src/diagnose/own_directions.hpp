/// \file own_directions.hpp
/// Directions of a layer's output in which a few columns of the heads write
/// and no others: what is seen there depends on these columns alone.
#pragma once

#include "variation.hpp"

#include <optional>
#include <vector>

namespace diagnose {

/// A few columns of the glued heads, and the part of the output that is theirs.
struct OwnDirections {
  std::vector<Index> columns;  ///< of the glued heads
  Numbers of_output;   ///< (d_model, n): orthonormal, to multiply the output by
  Numbers of_columns;  ///< (columns, n): the same of what the columns write
};

/// \param w_o  (width, d_model)
/// \returns the directions in which the columns write most; nothing when what
///          they write cannot be told from the others'
std::optional<OwnDirections> own_directions(const Numbers& w_o,
                                            Index most_columns = 64);

}  // namespace diagnose
