import assert from "node:assert/strict";
import { test } from "node:test";

const { findConflicts } = await import("/workspace/src/conflicts.ts");
const { hoursByDay, hoursByPerson } = await import("/workspace/src/hours.ts");
const { parsePlan } = await import("/workspace/src/parse.ts");

test("a night shift has its hours", () => {
  assert.deepEqual([...hoursByPerson(parsePlan("mon 22:00-06:00 bob"))], [["bob", 8]]);
});

test("a shift that ends when it began is a whole day", () => {
  assert.deepEqual([...hoursByPerson(parsePlan("wed 08:00-08:00 eve"))], [["eve", 24]]);
});

test("a night counts on both days", () => {
  const days = hoursByDay(parsePlan("mon 22:00-06:00 bob"));
  assert.equal(days.mon, 2);
  assert.equal(days.tue, 6);
});

test("sunday night runs into monday", () => {
  const days = hoursByDay(parsePlan("sun 22:00-06:00 bob"));
  assert.equal(days.sun, 2);
  assert.equal(days.mon, 6);
});

test("a night and the next morning are a conflict", () => {
  assert.equal(findConflicts(parsePlan("mon 22:00-06:00 bob\ntue 05:00-13:00 bob")).length, 1);
  assert.equal(findConflicts(parsePlan("mon 22:00-06:00 bob\ntue 06:00-13:00 bob")).length, 0);
});

test("so are sunday night and monday morning, in either order", () => {
  assert.equal(findConflicts(parsePlan("sun 22:00-06:00 bob\nmon 05:00-13:00 bob")).length, 1);
  assert.equal(findConflicts(parsePlan("mon 05:00-13:00 bob\nsun 22:00-06:00 bob")).length, 1);
  assert.equal(findConflicts(parsePlan("mon 05:00-13:00 ann\nsun 22:00-06:00 bob")).length, 0);
});

test("day shifts are as before", () => {
  const shifts = parsePlan("mon 09:00-17:00 alice\ntue 00:00-24:00 bob");
  assert.deepEqual([...hoursByPerson(shifts)], [["alice", 8], ["bob", 24]]);
  assert.equal(hoursByDay(shifts).wed, 0);
});
