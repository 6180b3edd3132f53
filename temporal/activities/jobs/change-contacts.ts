import { type BulkOperation, type BulkResult, bulkResultSchema } from '../../../core/jobs/results.ts';
import type { Em } from '../../../db/orm.ts';
import { retryTransaction } from '../../../db/retry-transaction.ts';
import { deleteContacts, forgetInEnded } from '../../../db/statements/contacts/delete-contacts.ts';
import { subscribeContacts } from '../../../db/statements/contacts/subscribe-contacts.ts';
import type { ContactJobProgress } from '../../contracts/contact-jobs.ts';
import { inFewerAtOnce, type JobContext, type JobRun, runJob } from './run-job.ts';

const batchContacts = 100;

export function changeContacts(context: JobContext, jobId: string): Promise<ContactJobProgress> {
  return runJob(
    context,
    jobId,
    (run) => changeAll(context, run),
    (result) => {
      const { operation, errors, ...counts } = bulkResultSchema.parse(result);
      return counts;
    },
  );
}

async function changeAll({ em, turns }: JobContext, run: JobRun): Promise<boolean> {
  const { job } = run;
  const { projectId } = job;
  const ids = job.contactIds ?? [];
  while (job.done < ids.length) {
    if (run.isOver()) return false;
    const batch = ids.slice(job.done, job.done + batchContacts);
    const { operation } = bulkResultSchema.parse(job.result);
    const forget = () => retryTransaction(() => forgetInEnded(em.fork(), projectId, batch));
    if (operation === 'delete') while (!run.isOver() && (await turns.run(projectId, forget)));
    const applied = await inFewerAtOnce(batch, (part) => {
      const done = job.done + part.length;
      const before = bulkResultSchema.parse(job.result);
      return run.apply(async (tx) => ({
        done,
        progress: Math.min(99, Math.floor((done / ids.length) * 100)),
        result: addResult(before, part, await change(tx, projectId, operation, part)),
      }));
    });
    if (!applied) return false;
  }
  return true;
}

async function change(
  em: Em,
  projectId: string,
  operation: BulkOperation,
  ids: readonly string[],
): Promise<Map<string, boolean>> {
  switch (operation) {
    case 'delete':
      return new Map((await deleteContacts(em, projectId, ids)).map((id) => [id, true]));
    case 'subscribe':
    case 'unsubscribe': {
      const rows = await subscribeContacts(em, projectId, ids, operation === 'subscribe', new Date());
      return new Map(rows.map((row) => [row.id, row.isChanged]));
    }
  }
}

function addResult(before: BulkResult, ids: readonly string[], changed: Map<string, boolean>): BulkResult {
  const missing = ids.filter((id) => !changed.has(id));
  const successes = [...changed.values()].filter((isChanged) => isChanged).length;
  return {
    ...before,
    successCount: before.successCount + successes,
    unchangedCount: before.unchangedCount + changed.size - successes,
    failureCount: before.failureCount + missing.length,
    errors: [...before.errors, ...missing.map((contactId) => ({ contactId, message: 'Contact not found' }))],
  };
}
