import { domainOfAddress } from '../../core/addresses/email-address.ts';
import type { DomainStatus } from '../../core/domains.ts';
import { DomainError } from '../../core/errors.ts';
import { createChangeCache } from '../../db/change-cache.ts';
import type { DatabaseListener } from '../../db/database-listener.ts';
import { Domain } from '../../db/entities/domain.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import { lockRecord } from '../../db/lock-record.ts';
import type { Em, Orm } from '../../db/orm.ts';

export type SenderDomains = ReturnType<typeof createSenderDomains>;

const cacheMs = 5_000;

export function requireVerified(domain: string, status: DomainStatus | undefined): void {
  if (status !== 'verified') throw refusal(domain, status);
}

function refusal(domain: string, status: DomainStatus | undefined): DomainError {
  const reason = status === undefined ? 'DOMAIN_NOT_REGISTERED' : 'DOMAIN_NOT_VERIFIED';
  const message =
    status === undefined
      ? `The domain ${domain} is not registered to this project. Add it and verify its DNS records before sending from it.`
      : `The domain ${domain} is not verified. Create its DNS records and wait for their verification before sending from it.`;
  return new DomainError('SENDER_DOMAIN_REFUSED', message, {
    details: { reason, domain },
    suggestion:
      status === undefined ? 'POST /domains adds a domain.' : 'GET /domains/{id}/verify checks it at once.',
  });
}

/** Prevents the removal of an address's domain until the transaction ends. @returns null when the project has none */
export const holdDomain = (em: Em, address: string): Promise<Domain | null> =>
  lockRecord(em, Domain, { domain: domainOfAddress(address) }, { mode: 'for key share' });

/**
 * Requires that the domain of the address is verified, and prevents its removal until the transaction ends.
 * @param em of the project
 * @throws DomainError `SENDER_DOMAIN_REFUSED`
 */
export async function holdSenderDomain(em: Em, from: string): Promise<void> {
  requireVerified(domainOfAddress(from), (await holdDomain(em, from))?.status);
}

/** Caches domains for 5 seconds; a change in any process invalidates them at once. */
export function createSenderDomains(orm: Orm, changes: DatabaseListener) {
  const load = async (projectId: string) => {
    const domains = await projectEm(orm, projectId).find(Domain, {});
    return new Map(domains.map(({ domain, status }) => [domain, status]));
  };
  const cache = createChangeCache<Map<string, DomainStatus>>(changes, {
    most: 10_000,
    ttlMs: cacheMs,
    projectOf: (projectId) => projectId,
  });

  async function domainsOf(projectId: string): Promise<Map<string, DomainStatus>> {
    const known = cache.get(projectId);
    if (known !== undefined) return known;
    const keep = cache.beforeRead();
    const domains = await load(projectId);
    keep(projectId, domains);
    return domains;
  }

  return {
    /**
     * Requires that the domain of the address is verified for the project, using a cache.
     * @throws DomainError `SENDER_DOMAIN_REFUSED` with `details.reason` and `details.domain`
     */
    async require(projectId: string, from: string) {
      const domain = domainOfAddress(from);
      requireVerified(domain, (await domainsOf(projectId)).get(domain));
    },
  };
}
