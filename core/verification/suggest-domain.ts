import damerauLevenshtein from 'damerau-levenshtein';
import { isTopLevelDomain } from './registrable-domain.ts';
import { isRelayDomain } from './relay-domains.ts';
import { isWellKnownProvider, leadingProviders, otherProviders } from './well-known-providers.ts';

interface Name {
  label: string;
  suffix: string;
}

const toName = (domain: string): Name => {
  const dot = domain.indexOf('.');
  return { label: domain.slice(0, dot), suffix: domain.slice(dot + 1) };
};
const leading = leadingProviders.map((domain) => ({ domain, ...toName(domain) }));
const all = [...leading, ...otherProviders.map((domain) => ({ domain, ...toName(domain) }))];

const slipsOfCom: ReadonlySet<string> = new Set(['co', 'cm', 'om']);

/**
 * Suggests the well-known mailbox provider that was meant by a domain with one typo: a letter missing, added, replaced
 * or two swapped (Damerau-Levenshtein). The first letter is assumed correct, names under five letters are too similar
 * to compare, and an existing top-level domain is no typo except `.co`, `.cm` and `.om`.
 *
 * If the domain takes mail, only typos of leading providers count. Otherwise other common providers count
 * too, a name of seven letters may have two typos, or name and suffix one each.
 *
 * @param domain normalized
 * @param takesMail whether the domain can receive mail according to DNS
 */
export function suggestDomain(domain: string, takesMail: boolean): string | undefined {
  if (isWellKnownProvider(domain) || isRelayDomain(domain)) return undefined;
  const typed = toName(domain);
  const allowed = takesMail ? 1 : 2;
  let best: { domain: string; slips: number } | undefined;
  for (const meant of takesMail ? leading : all) {
    const slips = labelSlips(typed.label, meant.label) + suffixSlips(typed.suffix, meant.suffix);
    if (slips <= allowed && slips < (best?.slips ?? Number.POSITIVE_INFINITY)) {
      best = { domain: meant.domain, slips };
    }
  }
  return best?.domain;
}

function labelSlips(typed: string, meant: string): number {
  if (typed === meant) return 0;
  if (meant.length < 5 || typed[0] !== meant[0]) return Number.POSITIVE_INFINITY;
  const slips = distance(typed, meant);
  return slips === 1 || (slips === 2 && meant.length >= 7) ? slips : Number.POSITIVE_INFINITY;
}

function suffixSlips(typed: string, meant: string): number {
  if (typed === meant) return 0;
  if (meant === 'com' && slipsOfCom.has(typed)) return 1;
  const slips = distance(typed, meant);
  const topLevel = typed.slice(typed.lastIndexOf('.') + 1);
  return slips === 1 && !isTopLevelDomain(topLevel) ? 1 : Number.POSITIVE_INFINITY;
}

function distance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return Number.POSITIVE_INFINITY;
  return damerauLevenshtein(one, other).steps;
}
