/** Units of delays and time limits, longest first. */
export const durationUnits = ['days', 'hours', 'minutes'] as const;
export type DurationUnit = (typeof durationUnits)[number];

const seconds: Record<DurationUnit, number> = { minutes: 60, hours: 3_600, days: 86_400 };

export const toSeconds = (amount: number, unit: DurationUnit): number => amount * seconds[unit];

/** Converts to the longest unit that gives a whole number. */
export function fromSeconds(total: number): { amount: number; unit: DurationUnit } {
  const unit = durationUnits.find((one) => total % seconds[one] === 0) ?? 'minutes';
  return { amount: total / seconds[unit], unit };
}

/** "1 day", "3 hours" */
export const durationText = (amount: unknown, unit: unknown): string =>
  `${amount} ${amount === 1 ? String(unit).replace(/s$/, '') : unit}`;
