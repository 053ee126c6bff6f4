# Checks of the tools in /workspace; every line must hold.
set -u
cd /workspace || exit 1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { printf 'FAILED: %s\n' "$*"; exit 1; }

mkdir -p "$work/a b"/snap-000{1,2,3,4}
plain=$(bin/rotate --dry-run 2 "$work/a b") || fail "exit code"
[[ $plain == "$work/a b/snap-0001"$'\n'"$work/a b/snap-0002" ]] || fail "what it prints: $plain"
[[ $(ls "$work/a b" | wc -l) -eq 4 ]] || fail "a dry run removed something"
[[ $(bin/rotate 2 "$work/a b") == "$plain" ]] || fail "the real run differs"
[[ $(ls "$work/a b" | wc -l) -eq 2 ]] || fail "the real run"
bin/rotate --dry-run 0 "$work/a b" 2>/dev/null; [[ $? -eq 2 ]] || fail "KEEP 0"
bin/rotate --dry-run 1 2>/dev/null; [[ $? -eq 2 ]] || fail "too few arguments"
bin/rotate --dry-run 1 "$work/none" 2>/dev/null; [[ $? -eq 2 ]] || fail "no folder"
bin/rotate --bogus 1 "$work/a b" 2>/dev/null; [[ $? -eq 2 ]] || fail "unknown option"
bin/rotate 2>/dev/null; [[ $? -eq 2 ]] || fail "no arguments"
grep -q -- --dry-run docs/usage.md || fail "not documented"
grep -q -- --dry-run tests/test_*.bash || fail "no test"
tests/run >/dev/null || fail "the project's own tests"
echo all good
