test_snapshot_counts_up() {
  mkdir "$WORK/src" && echo hi >"$WORK/src/a"
  [[ $(bin/snapshot "$WORK/src" "$WORK/out") == "$WORK/out/snap-0001" ]]
  [[ $(bin/snapshot "$WORK/src" "$WORK/out") == "$WORK/out/snap-0002" ]]
  [[ $(cat "$WORK/out/snap-0002/a") == hi ]]
}

test_rotate_keeps_the_newest() {
  mkdir -p "$WORK"/out/snap-000{1,2,3}
  bin/rotate 2 "$WORK/out"
  [[ $(ls "$WORK/out") == $'snap-0002\nsnap-0003' ]]
}

test_usage_sorts_by_size() {
  mkdir "$WORK/d" && printf 12345 >"$WORK/d/big" && printf 1 >"$WORK/d/small"
  [[ $(bin/usage "$WORK/d") == $'5 big\n1 small' ]]
}
