export const snoozeLengths = ['2-weeks', '1-month', '6-months', '1-year'] as const;

export type SnoozeLength = (typeof snoozeLengths)[number];

const dayMs = 24 * 60 * 60 * 1000;

/** Weeks are exact; months and years follow the calendar (UTC), clamped to the last day of the month. */
export function snoozeEnd(from: Date, length: SnoozeLength): Date {
  switch (length) {
    case '2-weeks':
      return new Date(from.getTime() + 14 * dayMs);
    case '1-month':
      return addMonths(from, 1);
    case '6-months':
      return addMonths(from, 6);
    case '1-year':
      return addMonths(from, 12);
  }
}

function addMonths(from: Date, months: number): Date {
  const end = new Date(from);
  end.setUTCMonth(end.getUTCMonth() + months);
  // The day does not exist in that month and has overflowed into the next.
  if (end.getUTCDate() !== from.getUTCDate()) end.setUTCDate(0);
  return end;
}
