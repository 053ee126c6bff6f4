import { DAYS, isDay, MINUTES_A_DAY, type Shift } from "./model.ts";

export class PlanError extends Error {
  readonly line: number;

  constructor(line: number, message: string) {
    super(`line ${line}: ${message}`);
    this.line = line;
  }
}

/** Reads a plan; empty lines and comments (`#`) are skipped. PlanError: a line can't be read. */
export function parsePlan(text: string): Shift[] {
  const shifts: Shift[] = [];
  text.split("\n").forEach((raw, index) => {
    const line = raw.replace(/#.*/, "").trim();
    if (line !== "") {
      shifts.push(parseShift(line, index + 1));
    }
  });
  return shifts;
}

function parseShift(line: string, number: number): Shift {
  const match = /^(\w+)\s+(\d\d:\d\d)-(\d\d:\d\d)\s+(\S+)$/.exec(line);
  if (match === null) {
    throw new PlanError(number, `not a shift: ${line}`);
  }
  const [, day = "", from = "", to = "", person = ""] = match;
  if (!isDay(day)) {
    throw new PlanError(number, `no such day: ${day}`);
  }
  const base = DAYS.indexOf(day) * MINUTES_A_DAY;
  const start = base + minutes(from, number);
  let end = base + minutes(to, number);
  if (end <= start) {
    end += MINUTES_A_DAY; // it ends on the next day
  }
  return { person, start, end };
}

function minutes(time: string, line: number): number {
  const [hours = 0, rest = 0] = time.split(":").map(Number);
  if (hours > 24 || rest > 59 || (hours === 24 && rest > 0)) {
    throw new PlanError(line, `no such time: ${time}`);
  }
  return hours * 60 + rest;
}
