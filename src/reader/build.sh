# shellcheck shell=bash disable=SC2154  # root is set in mha
# Configuring, building and testing with CMake, in build/release.

# Two at once would write the same files, so the second waits. The lock is
# gone when its holder is, and so are the programs that the holder started.
take_lock() {
  if ! { mkdir -p "$root/build" && touch "$root/build/lock"; } 2>/dev/null; then
    die "$root/build cannot be written; make it yours with chown -R, or remove it"
  fi
  command -v flock >/dev/null || return 0  # set-up will say that it is missing
  exec 9>"$root/build/lock"
  flock --nonblock 9 && return
  say 'another ./mha is working; waiting'
  flock 9
}

# configure [BOOK] [TESTS] [DIAGNOSE]: what an earlier run asked for stays on,
# so that going from one command to another does not configure again.
configure() {
  local folder=$root/build/release option value
  local arguments=(-S "$root" --preset release) up_to_date=yes
  if [ ! -e "$folder/build.ninja" ] ||
    [ "$(cached CMAKE_HOME_DIRECTORY)" != "$root" ]; then
    # The first time, after an interruption, or after the tree was moved.
    arguments+=(--fresh) up_to_date=no
  elif [ "$root/CMakePresets.json" -nt "$folder/build.ninja" ]; then
    up_to_date=no
  fi
  for option in BOOK TESTS DIAGNOSE; do
    value=$(cached "MHA_$option")
    if [ "$value" != ON ] && [[ " $* " == *" $option "* ]]; then
      value=ON up_to_date=no
    fi
    arguments+=("-DMHA_$option=${value:-OFF}")
  done
  [ $up_to_date = no ] || return 0
  check_version cmake 3.25
  step 'Configuring' configure.log cmake "${arguments[@]}"
}

# cached NAME: its value in CMake's cache, nothing when there is none.
cached() {
  sed -n "s/^$1:[A-Z]*=//p" "$root/build/release/CMakeCache.txt" 2>/dev/null ||
    true
}

# build LABEL TARGET
build() {
  step "$1" build.log \
    cmake --build "$root/build/release" --parallel "$(nproc)" --target "$2"
}

run_ctest() {
  local progress=()
  [ ! -t 1 ] || progress=(--progress)
  (cd "$root" &&
    ctest --preset release --parallel "$(nproc)" "${progress[@]}") ||
    die "tests failed, see above; all of it:" \
      "build/release/Testing/Temporary/LastTest.log"
}
