import assert from "node:assert/strict";
import { test } from "node:test";

import { findConflicts } from "../src/conflicts.ts";
import { hoursByDay, hoursByPerson } from "../src/hours.ts";
import { clock } from "../src/model.ts";
import { parsePlan } from "../src/parse.ts";

test("a plan is read line by line", () => {
  const shifts = parsePlan("# week 12\nmon 09:00-17:00 alice\n\ntue 08:30-12:00 bob\n");
  assert.deepEqual(shifts, [
    { person: "alice", start: 540, end: 1020 },
    { person: "bob", start: 1950, end: 2160 },
  ]);
});

test("what is no shift is refused with its line", () => {
  assert.throws(() => parsePlan("mon 09:00-17:00 alice\nsomeday 09:00-10:00 bob"), /line 2: no such day/);
});

test("hours are added up", () => {
  const shifts = parsePlan("mon 09:00-17:00 alice\ntue 09:00-13:00 alice\n");
  assert.deepEqual([...hoursByPerson(shifts)], [["alice", 12]]);
  assert.equal(hoursByDay(shifts).tue, 4);
});

test("two shifts at once are a conflict, one after the other are none", () => {
  const shifts = parsePlan("mon 09:00-13:00 alice\nmon 12:00-17:00 alice\nmon 17:00-18:00 alice\n");
  assert.equal(findConflicts(shifts).length, 1);
});

test("times are shown with their day", () => {
  assert.equal(clock(2710), "tue 21:10");
});
