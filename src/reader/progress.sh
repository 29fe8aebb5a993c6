# shellcheck shell=bash disable=SC2154  # root is set in mha
# What the reader sees while something works, and when it fails.
# Messages go to standard error: standard output belongs to the results.

say() {
  printf 'mha: %s\n' "$*" >&2
}

die() {
  say "$@"
  exit 1
}

# step LABEL LOG COMMAND...: runs COMMAND with its output in build/log/LOG.
# Says how it goes when it takes long, and shows the log's end when it fails.
# COMMAND runs in the foreground so that Ctrl-C reaches it.
step() {
  local label=$1 log=build/log/$2 started=$SECONDS status=0
  shift 2
  mkdir -p "$root/build/log"
  : >"$root/$log"
  watch_log "$label" "$root/$log" &
  watcher=$!
  trap stop_watcher EXIT
  "$@" >"$root/$log" 2>&1 </dev/null || status=$?
  stop_watcher
  if [ "$status" -ne 0 ]; then
    telling_lines "$root/$log" >&2
    die "$label failed: see the lines above, or all of them in $log"
  fi
  if [ $((SECONDS - started)) -ge 2 ]; then
    say "$label: $((SECONDS - started)) s"
  fi
}

# On a terminal one line that is written over, elsewhere a line now and then.
watch_log() {
  local label=$1 log=$2 seconds=0
  exec 9>&-  # a watcher left behind must not hold the lock
  while sleep 1 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
    seconds=$((seconds + 1))
    if [ -t 2 ]; then
      printf '\r\033[K%.78s' \
        "$label, $seconds s: $(last_said "$log")" >&2
    elif [ $seconds -eq 2 ]; then
      say "$label ..."
    elif [ $((seconds % 60)) -eq 0 ]; then
      say "$label, $seconds s: $(last_said "$log" | cut -c 1-60)"
    fi
  done
}

# The log's last line; of ninja's, how many steps are done and which file it is.
last_said() {
  tail -n 1 "$1" | tr -d '[:cntrl:]' |
    sed -E 's|^\[([0-9]+)/([0-9]+)\] (.*[/ ])?([^/ ]*)$|\1 of \2, \4|; s|\.o$||'
}

stop_watcher() {
  [ -n "$watcher" ] || return 0
  kill "$watcher" 2>/dev/null || true
  wait "$watcher" 2>/dev/null || true
  watcher=
  [ ! -t 2 ] || printf '\r\033[K' >&2
}

# The first failure that ninja or CMake reports; without one, the last lines.
# A step that writes as it goes, as the weave does, has said what is wrong
# before "FAILED:". Below it ninja repeats the command, which only the log keeps.
telling_lines() {
  if grep -q '^FAILED: \|^CMake Error' "$1"; then
    awk '/^FAILED: |^CMake Error/ { printf "%s", said; said = ""; on = 1 }
         /^\[[0-9]+\/[0-9]+\] / { said = ""; if (!on) next }
         !on { said = said $0 "\n" }
         on && !skip { print }
         { skip = /^FAILED: / }' "$1" | head -n 40
  else
    tail -n 15 "$1"
  fi
}
