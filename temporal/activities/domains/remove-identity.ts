import { Domain, DomainRemoval } from '../../../db/entities/domain.ts';
import type { Em } from '../../../db/orm.ts';
import type { DomainIdentities } from '../../../providers/domains/domain-identities.ts';

/**
 * Deletes a removed domain's identity at the provider, unless a project claims the same name. A domain added
 * in between is registered again by its next check.
 */
export async function removeIdentity(
  em: Em,
  identities: DomainIdentities,
  { id, domain }: Pick<DomainRemoval, 'id' | 'domain'>,
): Promise<void> {
  if (!(await em.getRepository(Domain).isClaimed(domain))) await identities.remove(domain);
  await em.nativeDelete(DomainRemoval, { id });
}
