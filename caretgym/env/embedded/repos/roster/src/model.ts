export const DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type Day = (typeof DAYS)[number];

export const MINUTES_A_DAY = 24 * 60;
export const MINUTES_A_WEEK = 7 * MINUTES_A_DAY;

/** One person's shift. `start` and `end` are minutes of the week from Monday 00:00; `end` is after `start`. */
export interface Shift {
  readonly person: string;
  readonly start: number;
  readonly end: number;
}

export function isDay(text: string): text is Day {
  return (DAYS as readonly string[]).includes(text);
}

/** `2710` -> `tue 21:10`; minutes beyond the week begin again on Monday. */
export function clock(minute: number): string {
  const inWeek = ((minute % MINUTES_A_WEEK) + MINUTES_A_WEEK) % MINUTES_A_WEEK;
  const day = DAYS[Math.floor(inWeek / MINUTES_A_DAY)];
  const hours = Math.floor((inWeek % MINUTES_A_DAY) / 60);
  const minutes = inWeek % 60;
  return `${day} ${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`;
}
