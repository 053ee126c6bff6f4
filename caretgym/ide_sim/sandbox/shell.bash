# What a persistent shell runs: the part before "#loop" once, then the one line after it, which is the whole program
# that `bash -c` gets, so that errors in a command name line 1. Fds: 249 the terminal, 250 a line per command, 251 reports "code cwd\0", 252 the
# command's text, 253 and 254 the state after each command, in turns. Commands get none of 249-252, a fresh standard
# output, and read from /dev/null.
__cg_dump() {
  {
    builtin printf '# state %s\n%s\n' "$__cg_n" "$PWD"
    builtin declare -p
    builtin declare -f
    builtin declare -Fx
    builtin alias -p
    builtin shopt -p
    builtin trap -p
    builtin umask -p
    builtin set +o
    builtin printf '__cg_flags=%q\n\n# end of state\n' "$__cg_flags"
  } >|"/proc/self/fd/$((253 + __cg_n % 2))" 2>/dev/null
}
__cg_exit() {
  __cg_flags=$- __cg_n=$((__cg_n + 1))
  builtin set +xveu
  __cg_dump
}
__cg_flags= __cg_c= __cg_i=
if [[ $__cg_from == restore ]]; then
  {
    IFS= builtin read -r -d '' __cg_i </proc/self/fd/253
    __cg_i=${__cg_i#*$'\n'}
    builtin cd -- "${__cg_i%%$'\n'*}" || builtin cd /workspace
    builtin eval "${__cg_i#*$'\n'}"
  } 2>/dev/null
else
  builtin cd -- "$__cg_from" || builtin cd /
fi
__cg_n=0 __cg_s=0 __cg_i=
builtin shopt -s expand_aliases
builtin set +o history +o histexpand
builtin trap __cg_exit EXIT
#loop
exec 249>&1; __cg_from=$1; eval "$2"; shift 2; while builtin read -r -u 250 _; do IFS= builtin read -r -d '' __cg_c </proc/self/fd/252 || :; case $__cg_flags in *[xveu]*) __cg_c="set -${__cg_flags//[^xveu]/}; $__cg_c" ;; esac; { builtin eval "$__cg_c"; } </dev/null >&249 2>&249 249>&- 250<&- 251>&- 252<&-; { __cg_s=$? __cg_flags=$-; builtin set +xveu; } 2>/dev/null; __cg_n=$((__cg_n + 1)); builtin printf '%s %s\0' "$__cg_s" "$PWD" >&251; __cg_dump; done; builtin trap - EXIT
