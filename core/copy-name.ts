const suffix = ' (Copy)';

/** @param maxLength in characters, as in the schemas of requests: one beyond U+FFFF counts as one */
export function copyName(name: string, maxLength: number): string {
  const kept = [...name].slice(0, maxLength - suffix.length).join('');
  return `${kept}${suffix}`;
}
