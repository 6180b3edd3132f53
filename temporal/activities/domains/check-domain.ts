import { Domain, DomainRemoval } from '../../../db/entities/domain.ts';
import { allProjects, lockedOfAllProjects } from '../../../db/entities/project-em.ts';
import type { Em } from '../../../db/orm.ts';
import type { DomainIdentities } from '../../../providers/domains/domain-identities.ts';
import { checkAtProvider, removeDomain } from '../../../runtime/domain-records.ts';
import type { DomainVerificationOutcome } from '../../contracts/domain-verification.ts';
import { removeIdentity } from './remove-identity.ts';

/**
 * Asks the provider for the state of a domain and records it. Idempotent. Removes a domain that was not verified in
 * time. For a removed domain, deletes its identity at the provider.
 *
 * @throws Error while the provider does not answer
 */
export async function checkDomain(
  em: Em,
  identities: DomainIdentities,
  domainId: string,
): Promise<DomainVerificationOutcome> {
  const domain = await em.fork().findOne(Domain, { id: domainId }, allProjects);
  if (domain !== null) {
    const checked = await checkAtProvider(em, domain, (known) => identities.check(known, known.dkimTokens));
    const isGone = checked === null || (checked.domain.isExpired() && (await expire(em, domainId)));
    if (!isGone) return checked.domain.status;
  }
  const removed = domain ?? (await em.fork().findOne(DomainRemoval, { id: domainId }));
  if (removed !== null) await removeIdentity(em, identities, removed);
  return 'gone';
}

/** Checks expiry again under the lock. @returns whether the domain is gone */
function expire(em: Em, id: string): Promise<boolean> {
  return em.fork().transactional(async (own) => {
    const domain = await own.findOne(Domain, { id }, lockedOfAllProjects);
    if (domain?.isExpired() === false) return false;
    if (domain !== null) await removeDomain(own, domain);
    return true;
  });
}
