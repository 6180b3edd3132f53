import type { DomainCheck } from '../core/domains.ts';
import { brokenConstraint } from '../db/database-errors.ts';
import { Domain, DomainRemoval } from '../db/entities/domain.ts';
import { allProjects } from '../db/entities/project-em.ts';
import { lockRecord } from '../db/lock-record.ts';
import type { Em } from '../db/orm.ts';
import { notifyProjectChange } from '../db/statements/projects/notify-project-change.ts';

/**
 * Asks the provider for the state of a domain and records it; when the status changed, every process drops its caches
 * of the project. An answer is dropped and requested again if another check was recorded meanwhile: it may be the older
 * of the two, and a verified domain is next checked hours later.
 *
 * @param ask throws while the provider does not answer
 * @returns null when the domain was removed in the meantime
 */
export async function checkAtProvider(em: Em, domain: Domain, ask: (domain: Domain) => Promise<DomainCheck>) {
  for (let known = domain; ; ) {
    const check = await ask(known);
    const recorded = await recordCheck(em, known, check);
    if (recorded === null) return null;
    if (!recorded.isOvertaken) return { domain: recorded.domain, check };
    known = recorded.domain;
  }
}

type RecordedCheck = { domain: Domain; isOvertaken: boolean } | null;

async function recordCheck(em: Em, known: Domain, check: DomainCheck): Promise<RecordedCheck> {
  try {
    return await applyCheck(em, known, check);
  } catch (error) {
    if (brokenConstraint(error) !== 'domains_verified') throw error;
    // Another project verified the domain concurrently; this attempt sees it.
    return applyCheck(em, known, check);
  }
}

function applyCheck(em: Em, known: Domain, check: DomainCheck): Promise<RecordedCheck> {
  return em.fork().transactional(async (own) => {
    const domain = await lockRecord(own, Domain, { id: known.id }, allProjects);
    if (domain === null) return null;
    const isOvertaken = domain.checkedAt?.getTime() !== known.checkedAt?.getTime();
    if (isOvertaken) return { domain, isOvertaken };
    const isVerifiedElsewhere =
      check.verified && (await own.getRepository(Domain).isVerifiedElsewhere(domain));
    if (domain.recordCheck(check, isVerifiedElsewhere)) await notifyProjectChange(own, domain.projectId);
    return { domain, isOvertaken };
  });
}

/** Requires a transaction with a lock on the domain. Also records that the provider's identity must be removed. */
export async function removeDomain(em: Em, domain: Domain): Promise<void> {
  const { id, projectId } = domain;
  em.create(DomainRemoval, { id, projectId, domain: domain.domain });
  em.remove(domain);
  await notifyProjectChange(em, projectId);
}
