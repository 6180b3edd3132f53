import type { Em } from '../../db/orm.ts';
import {
  expireDomain,
  findDomain,
  findDomainRemoval,
  recordDomainCheck,
} from '../../db/repositories/domains/domains.ts';
import type { DomainIdentities } from '../../providers/domains/domain-identities.ts';
import type { DomainVerificationOutcome } from '../../temporal/contracts/domain-verification.ts';
import { removeIdentity } from './remove-identity.ts';

/**
 * Asks the provider how a domain stands and records it; a check more or less changes nothing else. A domain that was not
 * proven in its time is removed. The last check, of a domain that was removed, takes its identity away.
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
    if (checked !== undefined && !(await expireDomain(em, domainId))) return checked.status;
  }
  const removed = domain ?? (await findDomainRemoval(em, domainId));
  if (removed !== undefined) await removeIdentity(em, identities, removed);
  return 'gone';
}
