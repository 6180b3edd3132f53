/** Units of delays and time limits, longest first. */
export const durationUnits = ['days', 'hours', 'minutes'] as const;
export type DurationUnit = (typeof durationUnits)[number];

const seconds: Record<DurationUnit, number> = { minutes: 60, hours: 3_600, days: 86_400 };

/** Rounded to milliseconds, the accuracy of the API. */
export const toSeconds = (amount: number, unit: DurationUnit): number =>
  Math.round(amount * seconds[unit] * 1000) / 1000;

/** Converts to the longest unit that gives a whole number, else to minutes, which `toSeconds` converts back. */
export function fromSeconds(total: number): { amount: number; unit: DurationUnit } {
  const unit = durationUnits.find((one) => total % seconds[one] === 0) ?? 'minutes';
  return { amount: round(total / seconds[unit], 12), unit };
}

/** "1 day", "3 hours", "0.166667 minutes" */
export const durationText = (amount: unknown, unit: unknown): string =>
  `${typeof amount === 'number' ? round(amount, 6) : amount} ${amount === 1 ? String(unit).replace(/s$/, '') : unit}`;

const round = (value: number, digits: number): number => Number(value.toPrecision(digits));
