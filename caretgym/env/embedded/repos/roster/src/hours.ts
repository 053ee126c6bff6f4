import { DAYS, type Day, MINUTES_A_DAY, MINUTES_A_WEEK, type Shift } from "./model.ts";

/** Hours of each person, by name. */
export function hoursByPerson(shifts: readonly Shift[]): Map<string, number> {
  const totals = new Map<string, number>();
  for (const shift of shifts) {
    totals.set(shift.person, (totals.get(shift.person) ?? 0) + (shift.end - shift.start) / 60);
  }
  return new Map([...totals].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Hours worked on each day; a night shift counts on both of its days. */
export function hoursByDay(shifts: readonly Shift[]): Record<Day, number> {
  const totals = Object.fromEntries(DAYS.map((day) => [day, 0])) as Record<Day, number>;
  for (const shift of shifts) {
    let at = shift.start;
    while (at < shift.end) {
      const dayEnd = (Math.floor(at / MINUTES_A_DAY) + 1) * MINUTES_A_DAY;
      const until = Math.min(shift.end, dayEnd);
      const day = DAYS[Math.floor((at % MINUTES_A_WEEK) / MINUTES_A_DAY)];
      if (day !== undefined) {
        totals[day] += (until - at) / 60;
      }
      at = until;
    }
  }
  return totals;
}
