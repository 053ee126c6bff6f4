# Checks of the tools in /workspace; every line must hold.
set -u
cd /workspace || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf 'FAILED: %s\n' "$*"; exit 1; }

mkdir -p "$work/Server Backups"/snap-000{1,2,3,4}
out=$(bin/rotate 2 "$work/Server Backups") || fail "exit code with spaces in the folder"
[[ $out == "$work/Server Backups/snap-0001"$'\n'"$work/Server Backups/snap-0002" ]] || fail "what it prints: $out"
[[ $(ls "$work/Server Backups") == $'snap-0003\nsnap-0004' ]] || fail "what is left"

mkdir -p "$work/b/snap-0001 a b" "$work/b/snap-0002" "$work/b/a" "$work/b/b" "$work/b/snap-0003*"
bin/rotate 1 "$work/b" >/dev/null || fail "exit code with spaces in names"
[[ ! -e "$work/b/snap-0001 a b" && ! -e "$work/b/snap-0002" ]] || fail "the old ones are still there"
[[ -d "$work/b/snap-0003*" && -d "$work/b/a" && -d "$work/b/b" ]] || fail "something else was removed"

mkdir -p "$work/c/snap-0001" "$work/c/other" && touch "$work/c/snap-file"
out=$(bin/rotate 1 "$work/c") || fail "exit code when there is nothing to do"
[[ -z $out && -d $work/c/snap-0001 && -e $work/c/snap-file && -d $work/c/other ]] || fail "nothing was to be removed"
mkdir "$work/empty" && bin/rotate 3 "$work/empty" || fail "an empty folder"

for bad in 0 -1 x ''; do
  bin/rotate "$bad" "$work/c" 2>/dev/null; [[ $? -eq 2 ]] || fail "KEEP '$bad'"
done
(cd "$work" && mkdir -p -- -n/snap-0001 -n/snap-0002 && /workspace/bin/rotate 1 ./-n >/dev/null && [[ ! -e ./-n/snap-0001 ]]) || fail "a name with a dash"
echo all good
