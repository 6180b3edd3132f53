/** Accuracy of a total, as in the API. */
export type Accuracy = 'exact' | 'minimum' | 'estimate';

const whole = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 2 });

/** 12,408 */
export const count = (value: number): string => whole.format(value);
/** 12.4K */
export const shortCount = (value: number): string => compact.format(value);
/** 9,408,231, but 12.4M: fits into a card. Show the exact number on hover. */
export const cardCount = (value: number): string => (value < 10_000_000 ? count : shortCount)(value);
/** Takes a percentage from 0 to 100, like the rates of the API. */
export const rate = (value: number): string => percent.format(value / 100);
/** "12.5%"; "–" of nothing. */
export const share = (part: number, total: number): string =>
  total === 0 ? '–' : rate((part / total) * 100);
/** "1 contact", "12,408 contacts" */
export const quantity = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;
/** "12,408 members", or "about 120,000 members" for an estimate. */
export const estimated = (value: number, accuracy: Accuracy, one: string, many = `${one}s`): string =>
  accuracy === 'estimate' ? `about ${quantity(rounded(value), one, many)}` : quantity(value, one, many);
/** "12,408", or "about 120,000" for an estimate. */
export const estimatedCount = (value: number, accuracy: Accuracy): string =>
  accuracy === 'estimate' ? `about ${count(rounded(value))}` : count(value);
const rounded = (value: number): number => (value < 1_000 ? value : Number(value.toPrecision(2)));
