/**
 * The scalars that equal a text in `data`: the string itself, and the number or boolean with that JSON text.
 * `"12"` and `12` both match 12; `12.0` is only a string.
 */
export function valuesWithText(text: string): (string | number | boolean)[] {
  if (text === 'true' || text === 'false') return [text, text === 'true'];
  const number = Number(text);
  return text !== '' && Number.isFinite(number) && JSON.stringify(number) === text ? [text, number] : [text];
}
