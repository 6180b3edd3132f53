import { api, type Schema } from '../../api/client.ts';
import type { ContactQuery } from './contact-filter.ts';

export type BulkOperation = 'subscribe' | 'unsubscribe' | 'delete';
/** Selected contacts, or all that match. */
export type BulkTarget = { ids: readonly string[] } | { query: ContactQuery };

export interface BulkProgress {
  done: number;
  changed: number;
  unchanged: number;
  failed: number;
}

/** Per bulk call. */
const mostContacts = 1_000;
const pageSize = 100;
const pollMs = 500;

/**
 * Runs an operation on any number of contacts, 1,000 at a time, one batch after the other.
 *
 * @param signal ends it between two batches
 */
export async function runBulk(
  operation: BulkOperation,
  target: BulkTarget,
  onProgress: (progress: BulkProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const progress: BulkProgress = { done: 0, changed: 0, unchanged: 0, failed: 0 };
  for await (const contactIds of batchesOf(target)) {
    if (signal.aborted) return;
    const { data } = await start(operation, contactIds);
    if (!data) return;
    const result = await resultOf(data.jobId);
    progress.done += contactIds.length;
    progress.changed += result.successCount;
    progress.unchanged += result.unchangedCount;
    progress.failed += result.failureCount;
    onProgress({ ...progress });
  }
}

function start(operation: BulkOperation, contactIds: string[]) {
  const body = { contactIds };
  switch (operation) {
    case 'subscribe':
      return api.POST('/contacts/bulk-subscribe', { body });
    case 'unsubscribe':
      return api.POST('/contacts/bulk-unsubscribe', { body });
    case 'delete':
      return api.POST('/contacts/bulk-delete', { body });
  }
}

async function* batchesOf(target: BulkTarget): AsyncGenerator<string[]> {
  if ('ids' in target) {
    for (let at = 0; at < target.ids.length; at += mostContacts)
      yield target.ids.slice(at, at + mostContacts);
    return;
  }
  let batch: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Schema<'Contact'>[] = [];
    const query: ContactQuery = { ...target.query, limit: pageSize, ...(cursor !== null && { cursor }) };
    const { data } = await api.GET('/contacts', { params: { query } });
    page.push(...(data?.data ?? []));
    cursor = data?.cursor ?? null;
    batch.push(...page.map(({ id }) => id));
    if (batch.length >= mostContacts) {
      yield batch;
      batch = [];
    }
  } while (cursor !== null);
  if (batch.length > 0) yield batch;
}

async function resultOf(jobId: string) {
  for (;;) {
    const { data: job } = await api.GET('/contacts/bulk/{jobId}', { params: { path: { jobId } } });
    if (job?.state === 'completed' && job.result) return job.result;
    if (job?.state === 'failed') throw new Error(job.failedReason ?? 'The operation failed.');
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
