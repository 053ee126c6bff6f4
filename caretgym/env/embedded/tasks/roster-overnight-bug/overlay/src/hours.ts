import { DAYS, type Day, MINUTES_A_DAY, type Shift } from "./model.ts";

/** Hours of each person, by name. */
export function hoursByPerson(shifts: readonly Shift[]): Map<string, number> {
  const totals = new Map<string, number>();
  for (const shift of shifts) {
    totals.set(shift.person, (totals.get(shift.person) ?? 0) + (shift.end - shift.start) / 60);
  }
  return new Map([...totals].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Hours worked on each day. */
export function hoursByDay(shifts: readonly Shift[]): Record<Day, number> {
  const totals = Object.fromEntries(DAYS.map((day) => [day, 0])) as Record<Day, number>;
  for (const shift of shifts) {
    const day = DAYS[Math.floor(shift.start / MINUTES_A_DAY)];
    if (day !== undefined) {
      totals[day] += (shift.end - shift.start) / 60;
    }
  }
  return totals;
}
