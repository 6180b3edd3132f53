/**
 * The addresses in pasted text, each once. Accepts lines, lists with commas or semicolons, "Ada <ada@example.com>",
 * "mailto:" and brackets.
 */
export function addressesIn(text: string): string[] {
  const words = text.split(/[\s,;:<>"()[\]]+/).filter((word) => word.includes('@'));
  return [...new Set(words.map((word) => word.toLowerCase().replace(/\.$/, '')))];
}
