/**
 * The addresses in pasted text, each once. Accepts lines, lists with commas or semicolons, and "Ada <ada@example.com>".
 */
export function addressesIn(text: string): string[] {
  const words = text.split(/[\s,;<>"]+/).filter((word) => word.includes('@'));
  return [...new Set(words.map((word) => word.toLowerCase()))];
}
