import { parse } from 'tldts';

/**
 * The domain that was registered with a registry: `example.co.uk` of `mail.example.co.uk`. A name that is itself a
 * public suffix stands for itself, and an unknown top-level domain counts as one.
 */
export function registrableDomain(domain: string): string {
  return parse(domain).domain ?? domain;
}

/** Whether a top-level domain exists. */
export function isTopLevelDomain(label: string): boolean {
  return parse(`name.${label}`).isIcann === true;
}

/** Whether a set holds a domain or one above it, down to the registrable one. */
export function matchesDomain(domain: string, domains: ReadonlySet<string>): boolean {
  const last = registrableDomain(domain);
  for (let name = domain; ; name = name.slice(name.indexOf('.') + 1)) {
    if (domains.has(name)) return true;
    if (name === last || !name.includes('.')) return false;
  }
}
