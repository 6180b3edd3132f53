/**
 * Reads a number with a decimal point or comma.
 *
 * @returns undefined if the text is not a number, or may have a thousands separator, as in "1,000"
 */
export function readNumber(text: string): number | undefined {
  const typed = text.trim();
  if (typed === '' || /^[+-]?[1-9]\d{0,2},\d{3}$/.test(typed)) return undefined;
  const number = Number(typed.replace(',', '.'));
  return Number.isFinite(number) ? number : undefined;
}
