/**
 * Compares two texts by code point, like Postgres with the collation "C". JavaScript compares UTF-16 units,
 * which puts everything above U+FFFF (surrogates) before U+E000.
 *
 * @returns negative, 0 or positive
 */
export function compareCodePoints(one: string, other: string): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index++) {
    const left = one.charCodeAt(index);
    const right = other.charCodeAt(index);
    if (left !== right) return rankOf(left) - rankOf(right);
  }
  return one.length - other.length;
}

function rankOf(unit: number): number {
  if (unit >= 0xe000) return unit - 0x800;
  return unit >= 0xd800 ? unit + 0x2000 : unit;
}

/**
 * Lower-cases letter by letter, regardless of context: Unicode's simple mapping, like `lower(… collate
 * "pg_c_utf8")` in Postgres. JavaScript's `toLowerCase` handles final sigma and turns İ into two characters.
 */
export function foldCase(text: string): string {
  return Array.from(text, lowerOf).join('');
}

function lowerOf(letter: string): string {
  if (letter === 'İ') return 'i';
  return isNewerThanPostgres(letter) ? letter : letter.toLowerCase();
}

/** Letters of Unicode 17, which Node knows and Postgres 18 (Unicode 16) does not. */
function isNewerThanPostgres(letter: string): boolean {
  const point = letter.codePointAt(0) ?? 0;
  return point === 0xa7ce || point === 0xa7d2 || point === 0xa7d4 || (point >= 0x16ea0 && point <= 0x16eb8);
}
