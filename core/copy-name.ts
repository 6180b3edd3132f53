/**
 * Of a long name only the beginning.
 * @param maxLength in characters, as in the schemas of requests: one beyond U+FFFF counts as one
 */
export function nameWithSuffix(name: string, suffix: string, maxLength: number): string {
  const kept = [...name].slice(0, maxLength - suffix.length).join('');
  return `${kept}${suffix}`;
}

export const copyName = (name: string, maxLength: number): string =>
  nameWithSuffix(name, ' (Copy)', maxLength);
