// SES tracks no clicks on links with `ses:no-track`.
const link =
  /<a\s(?![^>]*\bses:no-track\b)[^>]*?href\s*=\s*(?:"(https?:[^"]*)"|'(https?:[^']*)'|(https?:[^\s>]+))/i;

export function firstLink(html: string | null): string | null {
  const found = html === null ? null : link.exec(html);
  const address = found?.[1] ?? found?.[2] ?? found?.[3];
  return address?.replaceAll('&amp;', '&').replaceAll('&#38;', '&') ?? null;
}
