// The side of fiber_in_page.cpp that WebAssembly cannot do itself: it has no
// access to its own stack's pointer, nor to Asyncify's switches.
mergeInto(LibraryManager.library, {
  // Of the fiber that runs: whether it is on its way out, to pause.
  $mhaFiber: { leaves: false, returns: false },

  mha_run_fiber__deps: ['$mhaFiber'],
  mha_run_fiber: function(body, argument, state, paused) {
    var caller = stackSave();
    stackRestore(HEAPU32[(state + 8) >> 2]);
    try {
      if (paused) {
        mhaFiber.returns = true;
        Module['_asyncify_start_rewind'](state);
      }
      wasmTable.get(body)(argument);
      if (!mhaFiber.leaves) return 0;
      mhaFiber.leaves = false;
      // Asyncify looks only now whether it wrote too far, and would stop all.
      var tooFar = HEAPU32[state >> 2] > HEAPU32[(state + 4) >> 2];
      if (tooFar) HEAPU32[state >> 2] = HEAPU32[(state + 4) >> 2];
      Module['_asyncify_stop_unwind']();
      return tooFar ? 2 : 1;
    } finally {
      stackRestore(caller);
    }
  },

  mha_pause_fiber__deps: ['$mhaFiber'],
  mha_pause_fiber: function(state) {
    if (mhaFiber.returns) {
      mhaFiber.returns = false;
      Module['_asyncify_stop_rewind']();
    } else {
      mhaFiber.leaves = true;
      HEAPU32[(state + 8) >> 2] = stackSave();
      Module['_asyncify_start_unwind'](state);
    }
  },

  mha_call: function(callee, argument) {
    wasmTable.get(callee)(argument);
  },
});
