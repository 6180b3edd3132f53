import type { Em } from '../../db/orm.ts';
import { findDomain, recordDomainCheck } from '../../db/repositories/domains/domains.ts';
import type { DomainIdentities } from '../../providers/domains/domain-identities.ts';
import type { DomainVerificationOutcome } from '../../temporal/contracts/domain-verification.ts';

/** Asks the provider how a domain stands and records it; a check more or less changes nothing else. */
export async function checkDomain(
  em: Em,
  identities: DomainIdentities,
  domainId: string,
): Promise<DomainVerificationOutcome> {
  const domain = await findDomain(em, domainId);
  if (domain === undefined) return 'gone';
  const check = await identities.check(domain.domain, domain.dkimTokens);
  const checked = await recordDomainCheck(em, domainId, check);
  return checked?.status ?? 'gone';
}
