import { LRUCache } from 'lru-cache';
import { domainOfAddress } from '../../core/addresses/email-address.ts';
import { DomainError } from '../../core/errors.ts';
import type { DomainStatus } from '../../db/entities/domain.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { holdDomain } from '../../db/repositories/domains/domains.ts';
import { sql } from '../../db/sql.ts';
import type { ProjectChanges } from '../edge/project-changes.ts';

export interface SenderDomains {
  /**
   * Lets through an address whose domain belongs to the project and is verified.
   * @throws DomainError `SENDER_DOMAIN_REFUSED` with `details.reason` and `details.domain`
   */
  require(projectId: string, from: string): Promise<void>;
}

const cacheMs = 5_000;

/**
 * Lets a verified domain through.
 * @throws DomainError `SENDER_DOMAIN_REFUSED` with `details.reason` and `details.domain`
 */
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

/**
 * Lets an address through whose domain is verified, and keeps the domain for as long as the transaction lasts.
 * @throws DomainError `SENDER_DOMAIN_REFUSED`
 */
export async function holdSenderDomain(em: Em, projectId: string, from: string): Promise<void> {
  const domain = domainOfAddress(from);
  requireVerified(domain, await holdDomain(em, projectId, domain));
}

/** The domains of projects, cached for seconds and dropped at once when a project's domains change. */
export function createSenderDomains(orm: Orm, changes: ProjectChanges): SenderDomains {
  const load = async (projectId: string) => {
    const rows = await sql<{ domain: string; status: DomainStatus }>(
      orm.em.fork(),
      'select domain, status from domains where project_id = $1',
      [projectId],
    );
    return new Map(rows.map((row) => [row.domain, row.status]));
  };
  const cache = new LRUCache<string, Map<string, DomainStatus>>({ max: 10_000, ttl: cacheMs });
  // Raised by each change: what was read before a change must not be kept after it.
  let generation = 0;
  changes.onChange((projectId) => {
    generation += 1;
    if (projectId === null) cache.clear();
    else cache.delete(projectId);
  });

  async function domainsOf(projectId: string): Promise<Map<string, DomainStatus>> {
    const known = changes.isConnected ? cache.get(projectId) : undefined;
    if (known !== undefined) return known;
    const asked = generation;
    const domains = await load(projectId);
    if (asked === generation && changes.isConnected) cache.set(projectId, domains);
    return domains;
  }

  return {
    async require(projectId, from) {
      const domain = domainOfAddress(from);
      requireVerified(domain, (await domainsOf(projectId)).get(domain));
    },
  };
}
