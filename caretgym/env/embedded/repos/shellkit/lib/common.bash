# Shared by all tools.

# die CODE MESSAGE...: say why and end.
die() {
  local code=$1
  shift
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit "$code"
}

# need_folder PATH: end unless it is a folder.
need_folder() {
  [[ -d $1 ]] || die 2 "no such folder: $1"
}
