# shellcheck shell=bash disable=SC2154  # root is set in mha
# Finding and listing chapters: their folders are chapters/NN_name.

declare -A states=()  # of exercises by number; those that are open have none
states_end=           # what the program adds about the progress

# read_states: from the program in src/reader/exercises. Where there is no
# progress, every exercise is open and nothing needs to be built.
read_states() {
  local answer number state
  [ -e "$root/my/progress.json" ] || return 0
  [ -x "$exercises" ] || build_exercises
  answer=$("$exercises" --root "$root" states) || exit
  while read -r number state; do
    [ -n "$number" ] || break
    states[$number]=$state
  done <<<"$answer"
  states_end=${answer#*$'\n\n'}
}

# chapter_name CHAPTER: the program of a chapter given by number or name.
chapter_name() {
  local folder name
  for folder in "$root"/chapters/[0-9][0-9]_*/; do
    folder=$(basename "$folder")
    name=${folder#*_}
    case $1 in
      "$name" | "$folder" | "${folder%%_*}" | "$((10#${folder%%_*}))")
        echo "$name"
        return
        ;;
    esac
  done
  die "there is no chapter '$1'; ./mha list shows their numbers and names"
}

list_chapters() {
  local folder exercise number name
  for folder in "$root"/chapters/[0-9][0-9]_*/; do
    folder=$(basename "$folder")
    number=$((10#${folder%%_*})) name=${folder#*_}
    row '%2d  %-24s %s' "$number" "$name" \
      "$(first '# ' "$root/book/$folder.md")"
    for exercise in "$root/chapters/$folder"/exercises/*.cpp; do
      [ ! -e "$exercise" ] || list_exercise "$exercise"
    done
  done
  [ -z "$states_end" ] || printf '\n%s\n' "$states_end"
  printf '\n%s\n%s\n' 'Run a chapter by number or name: ./mha run 2' \
    'Begin an exercise by its number: ./mha start 2.1'
}

# list_exercise FILE: from its header comment (docs/architecture.md).
list_exercise() {
  local title stars difficulty
  title=$(first '// Exercise ' "$1")
  difficulty=$(first '// difficulty: ' "$1")
  difficulty=${difficulty//[!0-9]/}
  printf -v stars '%*s' "${difficulty:-0}" ''
  row '    %-5s %-3s  %-17s %-8s %s' "${title%%:*}" "${stars// /*}" \
    "$(first '// kind: ' "$1")" "${states[${title%%:*}]-open}" "${title#*: }"
}

# first PREFIX FILE: what follows PREFIX on the first line that begins with it.
first() {
  local line
  [ -e "$2" ] || return 0
  while IFS= read -r line; do
    if [[ $line == "$1"* ]]; then
      printf '%s' "${line#"$1"}"
      return
    fi
  done <"$2"
}

# row FORMAT VALUE...: printf, cut to 80 columns.
row() {
  local line
  # shellcheck disable=SC2059  # the format is this file's
  printf -v line "$@"
  [ ${#line} -le 80 ] || line=${line:0:79}…
  printf '%s\n' "$line"
}
