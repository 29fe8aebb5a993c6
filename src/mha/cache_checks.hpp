/// \file cache_checks.hpp
/// The battery for an attention with a cache (chapter 5).
#pragma once

#include "mha/battery.hpp"

#include <functional>
#include <string>
#include <vector>

namespace mha {

// [cached attention]
/// One conversation. Each call brings the queries, keys and values of new
/// tokens, as many of each, and returns the output for them, (batch T,
/// n_heads d_head). A query sees every token up to its own, those of earlier
/// calls included. All calls of a session have the same batch and heads.
using CacheSession = std::function<Matrix<double>(const AttentionCall& piece)>;

/// Begins a conversation, with an empty cache.
using CachedAttention = std::function<CacheSession()>;

/// The attention that a cache amounts to. A causal call is fed as the tokens
/// before the first query, in one piece, and the rest, in another. One that is
/// not causal is fed once a query, which comes last.
/// \param make  begins a session
/// \return an attention without masks of pairs, padding, bias and maps
AttentionFunction attention_of_cache(CachedAttention make);
// [cached attention]

// [check cached attention]
/// Makes every check of checks() that a cache can be asked, and then those of
/// cache_checks(). Masks other than the causal one, maps, dropout and refusals
/// are not asked for.
/// \param make       begins a session
/// \param abilities  what may be asked of it
/// \return what was found
BatteryReport check_cached_attention(const CachedAttention& make,
                                     const Abilities& abilities = {});
// [check cached attention]

// [cache trial]
/// What a check of a cache works with.
struct CacheTrial {
  const CachedAttention& make;  ///< begins a session
  const Abilities& abilities;   ///< what may be asked of it
  std::string asked = {};       ///< the last question, in words
};

/// A sentence that is true of every right cache, and the test of it.
struct CacheCheck {
  std::string sentence;                       ///< what holds
  std::string (*find)(CacheTrial&);           ///< what is wrong, or nothing
  std::vector<bool Abilities::*> needs = {};  ///< what it cannot do without
};

/// \return all of them
const std::vector<CacheCheck>& cache_checks();

/// Makes only those.
/// \param make       begins a session
/// \param abilities  what may be asked of it
/// \return what was found
BatteryReport check_sessions(const CachedAttention& make,
                             const Abilities& abilities = {});

/// \param call   any call with as many keys as queries
/// \param from   the first token
/// \param count  how many
/// \return those tokens of every item, as a piece to feed
AttentionCall piece_of(const AttentionCall& call, Index from, Index count);
// [cache trial]

}  // namespace mha
