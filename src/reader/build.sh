# shellcheck shell=bash disable=SC2154  # root is set in mha
# Configuring, building and testing with CMake, in build/release. The exercise
# commands are built in build/reader.

# take_lock [FILE]: two at once would write the same files, so the second waits.
# The lock is gone when its holder is, and so are the programs that the holder
# started. The file says who holds it: process, start in seconds, command.
take_lock() {
  lock=${1-$root/build/lock}
  if ! { mkdir -p "$root/build" && touch "$lock"; } 2>/dev/null; then
    die "$root/build cannot be written; make it yours with chown -R, or remove it"
  fi
  command -v flock >/dev/null || return 0  # set-up will say that it is missing
  exec 9<>"$lock"
  if ! flock --nonblock 9; then
    say "$(lock_holder "$lock")"
    flock 9
  fi
  printf '%s %(%s)T %s\n' $$ -1 "$command" >"$lock"
}

release_lock() {
  : >"$lock"
  exec 9>&-
}

# lock_holder FILE: what is waited for, and since when. Without a name where the
# holder has not yet written it; lock.cpp says the same.
lock_holder() {
  local line now start
  read -r line <"$1" || true
  if [[ $line =~ ^([0-9]+)\ ([0-9]+)\ (.+)$ ]] &&
    kill -0 "${BASH_REMATCH[1]}" 2>/dev/null; then
    start=${BASH_REMATCH[2]}
    printf -v now '%(%s)T' -1
    printf './mha %s has been running for %d s; waiting for it' \
      "${BASH_REMATCH[3]}" $((now > start ? now - start : 0))
  else
    printf 'another ./mha is working; waiting'
  fi
}

# configure [BOOK] [TESTS] [DIAGNOSE] [BENCH]: what an earlier run asked for stays on,
# so that going from one command to another does not configure again.
configure() {
  local folder=$root/build/release option value
  local arguments=(-S "$root" --preset release) up_to_date=yes
  if ! is_configured "$folder" "$root"; then
    # The first time, after an interruption, or after the tree was moved.
    arguments+=(--fresh) up_to_date=no
  elif [ "$root/CMakePresets.json" -nt "$folder/build.ninja" ]; then
    up_to_date=no
  fi
  if emscripten_came_or_went; then
    arguments+=(-UMHA_EMXX) up_to_date=no
  fi
  for option in BOOK TESTS DIAGNOSE BENCH; do
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

# What compiles the programs for the page is taken where it is found, and the
# book is made without them where it is not.
emscripten_came_or_went() {
  local known
  known=$(cached MHA_EMXX)
  case $known in
    '') return 1 ;;
    *-NOTFOUND) command -v em++ >/dev/null ;;
    *) [ ! -x "$known" ] ;;
  esac
}

# is_configured FOLDER SOURCE: wholly, and from there.
is_configured() {
  [ -e "$1/build.ninja" ] &&
    [ "$(cached CMAKE_HOME_DIRECTORY "$1")" = "$2" ]
}

# cached NAME [FOLDER]: its value in CMake's cache, nothing when there is none.
cached() {
  local folder=${2-$root/build/release}
  sed -n "s/^$1:[A-Z]*=//p" "$folder/CMakeCache.txt" 2>/dev/null || true
}

# build LABEL TARGET
build() {
  step "$1" build.log \
    cmake --build "$root/build/release" --parallel "$(nproc)" --target "$2"
}

# The program in src/reader/exercises. A build and a lock of their own: they
# take seconds, where the book's take minutes.
build_exercises() {
  local source=$root/src/reader/exercises folder=$root/build/reader
  local label='Building the exercise commands'
  need_locked run
  take_lock "$root/build/reader_lock"
  if ! is_configured "$folder" "$source"; then
    check_version cmake 3.25
    step "$label" reader_configure.log \
      cmake -S "$source" -B "$folder" -G Ninja --fresh
  fi
  step "$label" reader.log \
    cmake --build "$folder" --parallel "$(nproc)" --target exercises
  release_lock
}

run_ctest() {
  local progress=()
  [ ! -t 1 ] || progress=(--progress)
  (cd "$root" &&
    ctest --preset release --parallel "$(nproc)" "${progress[@]}") ||
    die "tests failed, see above; all of it:" \
      "build/release/Testing/Temporary/LastTest.log"
}
