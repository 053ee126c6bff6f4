import { clock, MINUTES_A_WEEK, type Shift } from "./model.ts";

export interface Conflict {
  readonly person: string;
  readonly first: Shift;
  readonly second: Shift;
}

/** Whether two shifts share a minute. The week goes round: Sunday night runs into Monday morning. */
export function overlap(a: Shift, b: Shift): boolean {
  return [-MINUTES_A_WEEK, 0, MINUTES_A_WEEK].some(
    (shift) => a.start < b.end + shift && b.start + shift < a.end,
  );
}

/** People who are in two places at once, in the order of the plan. */
export function findConflicts(shifts: readonly Shift[]): Conflict[] {
  const found: Conflict[] = [];
  shifts.forEach((first, index) => {
    for (const second of shifts.slice(index + 1)) {
      if (first.person === second.person && overlap(first, second)) {
        found.push({ person: first.person, first, second });
      }
    }
  });
  return found;
}

export function describe(conflict: Conflict): string {
  const { person, first, second } = conflict;
  return `${person}: ${clock(first.start)}-${clock(first.end)} and ${clock(second.start)}-${clock(second.end)}`;
}
