import { BillingCustomer } from '../../db/entities/billing.ts';
import { Domain, DomainRemoval } from '../../db/entities/domain.ts';
import { OutboxCommand } from '../../db/entities/outbox-command.ts';
import { Project } from '../../db/entities/project.ts';
import { allProjects } from '../../db/entities/project-em.ts';
import { lockRecord } from '../../db/lock-record.ts';
import type { Em } from '../../db/orm.ts';
import { notifyProjectChange } from '../../db/statements/projects/notify-project-change.ts';

/**
 * Must run in a transaction. Deletes a project with its members, domains and settings, and revokes its keys in every
 * process. Records the domains' identities for removal and queues the end of its subscription.
 */
export async function deleteProject(em: Em, projectId: string): Promise<void> {
  // A concurrent domain insert waits for this lock, so the next query sees all domains.
  if ((await lockRecord(em, Project, { id: projectId }, { mode: 'for update' })) === null) return;
  for (const { id, domain } of await em.find(Domain, { projectId }, allProjects)) {
    em.create(DomainRemoval, { id, projectId, domain });
  }
  if ((await em.count(BillingCustomer, { projectId })) > 0) {
    em.create(OutboxCommand, { kind: 'billing.end', subjectId: projectId, projectId });
  }
  await em.nativeDelete(Project, { id: projectId });
  await notifyProjectChange(em, projectId);
}
