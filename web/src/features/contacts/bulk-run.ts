import { isOutage } from '../../api/api-error.ts';
import { api, projectHeaders, type Schema } from '../../api/client.ts';
import { createPace, type Pace } from '../../api/pace.ts';
import type { operations } from '../../api/schema.d.ts';
import type { ContactQuery } from './contact-filter.ts';

export type BulkOperation = 'subscribe' | 'unsubscribe' | 'delete' | 'add';
/** What to do; `add` makes them members of a static segment. */
export type BulkChange =
  | { operation: Exclude<BulkOperation, 'add'> }
  | { operation: 'add'; segmentId: string };
type Selected = Pick<Schema<'Contact'>, 'id' | 'email'>;
type RecipientQuery = operations['getCampaignsByIdRecipients']['parameters']['query'];
/** Selected contacts, all contacts that match a filter, or recipients of a campaign. */
export type BulkTarget =
  | { contacts: readonly Selected[] }
  | { query: ContactQuery }
  | { campaignId: string; query: RecipientQuery };

export interface BulkProgress {
  done: number;
  changed: number;
  unchanged: number;
  failed: number;
}

/** Limit of one bulk call. */
const mostContacts = 1_000;
/** Limit of one call that adds members. */
const mostMembers = 500;
const pageSize = 100;
const pollMs = 1_000;
/** Attempts to read through an outage, one per `pollMs`. */
const mostReads = 60;

/**
 * Runs an operation on any number of contacts, in consecutive batches of 1,000.
 *
 * @param signal stops it between two batches
 */
export async function runBulk(
  change: BulkChange,
  target: BulkTarget,
  onProgress: (progress: BulkProgress) => void,
  signal: AbortSignal,
): Promise<void> {
  const progress: BulkProgress = { done: 0, changed: 0, unchanged: 0, failed: 0 };
  // Captured at the start: the user may switch projects meanwhile.
  const headers = projectHeaders();
  const pace = createPace(signal);
  for await (const contacts of batchesOf(target, headers, pace)) {
    // May wait for long; check afterward that the user has not stopped it.
    await pace.ready();
    if (pace.isOver()) return;
    const result =
      change.operation === 'add'
        ? await addMembers(change.segmentId, contacts, headers, pace)
        : await runJob(change.operation, contacts, headers, pace);
    if (result === undefined) return;
    progress.done += contacts.length;
    progress.changed += result.successCount;
    progress.unchanged += result.unchangedCount;
    progress.failed += result.failureCount;
    onProgress({ ...progress });
  }
}

async function runJob(
  operation: Exclude<BulkOperation, 'add'>,
  contacts: Selected[],
  headers: Headers,
  pace: Pace,
) {
  const ids = contacts.map(({ id }) => id);
  const { data } = await pace(() => start(operation, ids, headers));
  return data && resultOf(data.jobId, headers, pace);
}

async function addMembers(id: string, contacts: Selected[], headers: Headers, pace: Pace) {
  const result = { successCount: 0, unchangedCount: 0, failureCount: 0 };
  for (let at = 0; at < contacts.length; at += mostMembers) {
    const emails = contacts.slice(at, at + mostMembers).map(({ email }) => email);
    const call = { params: { path: { id } }, body: { emails }, headers };
    const { data } = await pace(() => api.POST('/segments/{id}/members', call));
    if (!data) return undefined;
    result.successCount += data.added;
    result.failureCount += data.notFound.length;
    result.unchangedCount += emails.length - data.added - data.notFound.length;
  }
  return result;
}

type Headers = ReturnType<typeof projectHeaders>;

function start(operation: Exclude<BulkOperation, 'add'>, contactIds: string[], headers: Headers) {
  const options = { body: { contactIds }, headers };
  switch (operation) {
    case 'subscribe':
      return api.POST('/contacts/bulk-subscribe', options);
    case 'unsubscribe':
      return api.POST('/contacts/bulk-unsubscribe', options);
    case 'delete':
      return api.POST('/contacts/bulk-delete', options);
  }
}

async function* batchesOf(target: BulkTarget, headers: Headers, pace: Pace): AsyncGenerator<Selected[]> {
  if ('contacts' in target) {
    for (let at = 0; at < target.contacts.length; at += mostContacts)
      yield target.contacts.slice(at, at + mostContacts);
    return;
  }
  const batch: Selected[] = [];
  let cursor: string | null = null;
  do {
    const after: string | null = cursor;
    const page: TargetPage = await throughOutage(
      () => pace(() => readPage(target, after, headers)),
      pace.isOver,
    );
    cursor = page.cursor;
    batch.push(...page.contacts);
    // The pages of a search are not full, so a batch may pass the limit by a part of one.
    if (batch.length >= mostContacts) yield batch.splice(0, mostContacts);
    if (pace.isOver()) return;
  } while (cursor !== null);
  if (batch.length > 0) yield batch;
}

interface TargetPage {
  contacts: Selected[];
  cursor: string | null;
  /** Tells how many more requests are allowed. */
  response: Response;
}

async function readPage(
  target: Exclude<BulkTarget, { contacts: readonly Selected[] }>,
  cursor: string | null,
  headers: Headers,
): Promise<TargetPage> {
  const page = { limit: pageSize, ...(cursor !== null && { cursor }) };
  if ('campaignId' in target) {
    const params = { path: { id: target.campaignId }, query: { ...target.query, ...page } };
    const { data, response } = await api.GET('/campaigns/{id}/recipients', { params, headers });
    const contacts = data?.data.map(({ contactId, email }) => ({ id: contactId, email })) ?? [];
    return { contacts, cursor: data?.cursor ?? null, response };
  }
  const params = { query: { ...target.query, ...page } };
  const { data, response } = await api.GET('/contacts', { params, headers });
  return { contacts: data?.data ?? [], cursor: data?.cursor ?? null, response };
}

async function resultOf(jobId: string, headers: Headers, pace: Pace) {
  for (;;) {
    const { data: job } = await throughOutage(() =>
      pace(() => api.GET('/contacts/bulk/{jobId}', { params: { path: { jobId } }, headers })),
    );
    if (job?.state === 'completed' && job.result) return job.result;
    if (job?.state === 'failed') throw new Error(job.failedReason ?? 'The operation failed.');
    await pause();
  }
}

/**
 * Reads again while the server can't answer: jobs go on meanwhile.
 *
 * @param isOver whether to give up at the next failure
 */
async function throughOutage<Answer>(read: () => Promise<Answer>, isOver = () => false): Promise<Answer> {
  for (let reads = 1; ; reads += 1) {
    try {
      return await read();
    } catch (error) {
      if (!isOutage(error) || reads === mostReads || isOver()) throw error;
    }
    await pause();
  }
}

const pause = () => new Promise((resolve) => setTimeout(resolve, pollMs));
