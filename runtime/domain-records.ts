import type { DomainCheck } from '../core/domains.ts';
import { brokenConstraint } from '../db/database-errors.ts';
import { Domain, DomainRemoval } from '../db/entities/domain.ts';
import { lockRecord } from '../db/lock-record.ts';
import type { Em } from '../db/orm.ts';
import { allProjects } from '../db/project-em.ts';
import { notifyProjectChange } from '../db/statements/projects/notify-project-change.ts';

/**
 * Records the result of a check in its own transaction; when the status changed, every process drops its caches of
 * the project.
 * @returns null when the domain was removed in the meantime
 */
export async function recordDomainCheck(em: Em, id: string, check: DomainCheck): Promise<Domain | null> {
  try {
    return await applyCheck(em, id, check);
  } catch (error) {
    if (brokenConstraint(error) !== 'domains_verified') throw error;
    // Another project's domain was verified concurrently; this time it is seen.
    return applyCheck(em, id, check);
  }
}

function applyCheck(em: Em, id: string, check: DomainCheck): Promise<Domain | null> {
  return em.fork().transactional(async (own) => {
    const domain = await lockRecord(own, Domain, { id }, allProjects);
    if (domain === null) return null;
    const isVerifiedElsewhere =
      check.verified && (await own.getRepository(Domain).isVerifiedElsewhere(domain));
    if (domain.recordCheck(check, isVerifiedElsewhere)) await notifyProjectChange(own, domain.projectId);
    return domain;
  });
}

/** Requires a transaction with a lock on the domain. Also records that the provider's identity must be removed. */
export async function removeDomain(em: Em, domain: Domain): Promise<void> {
  const { id, projectId } = domain;
  em.create(DomainRemoval, { id, projectId, domain: domain.domain });
  em.remove(domain);
  await notifyProjectChange(em, projectId);
}
