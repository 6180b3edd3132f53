import type { Em } from '../../db/orm.ts';
import {
  closeDomainRemoval,
  findDomain,
  findDomainRemoval,
  recordDomainCheck,
} from '../../db/repositories/domains/domains.ts';
import type { DomainIdentities } from '../../providers/domains/domain-identities.ts';
import type { DomainVerificationOutcome } from '../../temporal/contracts/domain-verification.ts';

/**
 * Asks the provider how a domain stands and records it; a check more or less changes nothing else. The last one, of
 * a domain that was removed, takes its identity away.
 *
 * @throws Error while the provider does not answer
 */
export async function checkDomain(
  em: Em,
  identities: DomainIdentities,
  domainId: string,
): Promise<DomainVerificationOutcome> {
  const domain = await findDomain(em, domainId);
  if (domain !== undefined) {
    const check = await identities.check(domain, domain.dkimTokens);
    const checked = await recordDomainCheck(em, domainId, check);
    if (checked !== undefined) return checked.status;
  }
  const removed = domain ?? (await findDomainRemoval(em, domainId));
  if (removed !== undefined) {
    await identities.remove(removed);
    await closeDomainRemoval(em, domainId);
  }
  return 'gone';
}
