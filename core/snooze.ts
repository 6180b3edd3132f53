/** How long a recipient may pause emails from the page of their preferences. */
export const snoozeLengths = ['2-weeks', '1-month', '6-months', '1-year'] as const;

export type SnoozeLength = (typeof snoozeLengths)[number];

const dayMs = 24 * 60 * 60 * 1000;

/**
 * When a snooze that begins at `from` ends: weeks are exact, months and years are those of the calendar (UTC). A
 * day that the last month does not have is that month's last day.
 */
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
  // A day that the month does not have has run over into the next one.
  if (end.getUTCDate() !== from.getUTCDate()) end.setUTCDate(0);
  return end;
}
