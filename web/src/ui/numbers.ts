const whole = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 2 });

/** 12,408 */
export const count = (value: number): string => whole.format(value);
/** 12.4K, with the exact number on hover. */
export const shortCount = (value: number): string => compact.format(value);
/** From 0 to 100, like the rates of the API. */
export const rate = (value: number): string => percent.format(value / 100);
/** "1 contact", "12,408 contacts" */
export const quantity = (value: number, one: string, many = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : many}`;
