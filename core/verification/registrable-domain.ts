import { parse } from 'tldts';

/**
 * The registered domain: `example.co.uk` for `mail.example.co.uk`. A public suffix returns itself; an unknown
 * top-level domain counts as a public suffix.
 */
export function registrableDomain(domain: string): string {
  return parse(domain).domain ?? domain;
}

export function isTopLevelDomain(label: string): boolean {
  return parse(`name.${label}`).isIcann === true;
}

export function matchesDomain(domain: string, domains: ReadonlySet<string>): boolean {
  const last = registrableDomain(domain);
  for (let name = domain; ; name = name.slice(name.indexOf('.') + 1)) {
    if (domains.has(name)) return true;
    if (name === last || !name.includes('.')) return false;
  }
}
