import type { Em } from '../../db/orm.ts';
import { closeDomainRemoval, isClaimed, type RemovedDomain } from '../../db/repositories/domains/domains.ts';
import type { DomainIdentities } from '../../providers/domains/domain-identities.ts';

/**
 * Takes the identity of a removed domain away from the provider, unless a project has a domain of that name. One that is
 * added in between is made known again by its next check.
 */
export async function removeIdentity(
  em: Em,
  identities: DomainIdentities,
  { id, domain }: RemovedDomain,
): Promise<void> {
  if (!(await isClaimed(em, domain))) await identities.remove(domain);
  await closeDomainRemoval(em, id);
}
