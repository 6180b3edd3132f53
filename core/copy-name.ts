const suffix = ' (Copy)';

export function copyName(name: string, maxLength: number): string {
  let kept = name.slice(0, maxLength - suffix.length);
  // Never half of a surrogate pair.
  if (!kept.isWellFormed()) kept = kept.slice(0, -1);
  return `${kept}${suffix}`;
}
