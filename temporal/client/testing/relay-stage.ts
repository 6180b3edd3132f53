import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { afterEach, beforeEach, inject, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/database.ts';
import { eventually } from '../../../test/setup/eventually.ts';
import { createTemporalClient } from '../connect.ts';
import { createOutboxRelay } from '../outbox-relay.ts';

export let database: TestDatabase;
export let client: Client;
type OutboxRelay = ReturnType<typeof createOutboxRelay>;
export let relay: OutboxRelay;
export let warnings: string[] = [];
/** How often workers were notified. */
export let notified = 0;
/** How often a first try was committed. */
export let committed = 0;

/** A database and a client for each test, which may start a relay. */
export function useRelayStage(): void {
  beforeEach(async () => {
    database = await createTestDatabase();
    client = connect(inject('temporalAddress'));
    warnings = [];
    notified = 0;
    committed = 0;
  });
  afterEach(async () => {
    vi.restoreAllMocks();
    await relay.stop();
    await client.connection.close();
    await database.close();
  });
}

function connect(address: string): Client {
  return createTemporalClient({ TEMPORAL_ADDRESS: address });
}

export async function loseTemporal(): Promise<void> {
  await client.connection.close();
  client = connect('127.0.0.1:1');
}

type Changes = Pick<Parameters<typeof createOutboxRelay>[0], 'around'>;

export const createRelay = (taskQueue: string, changes: Changes = {}): OutboxRelay =>
  createOutboxRelay({
    orm: database.orm,
    client,
    taskQueue,
    warn: (message) => warnings.push(message),
    notifyWorkers: async () => {
      notified += 1;
    },
    emailRoundsAtATime: 2,
    ...changes,
  });

export function start(taskQueue: string, changes?: Changes): void {
  relay = createRelay(taskQueue, changes);
  relay.start();
}

export async function order(kind: string, attempts = 0): Promise<string> {
  const id = randomUUID();
  await database.sql('insert into outbox (id, kind, subject_id, attempts) values ($1, $2, $3, $4)', [
    id,
    kind,
    randomUUID(),
    attempts,
  ]);
  return id;
}

/** Commands of a project that fell due this many seconds ago. */
export const orderMany = (projectId: string, count: number, dueSecondsAgo: number, kind = 'domain.verify') =>
  database.sql(
    `insert into outbox (id, kind, subject_id, project_id, next_attempt_at)
     select uuidv7(), $4, uuidv7(), $1, now() - make_interval(secs => $3) from generate_series(1, $2)`,
    [projectId, count, dueSecondsAgo, kind],
  );

export const waiting = async (kind: string) =>
  (
    await database.sql<{ count: number }>('select count(*)::int as count from outbox where kind = $1', [kind])
  )[0]?.count ?? 0;

/** Like a process with a worker: the emails that `run` returns need a workflow. */
export function tryFirst(run: (emailIds: string[]) => string[] | Promise<string[]>, retryInMs = 0): void {
  relay.useFirstTry({
    run: async (emailIds) => ({ openIds: await run(emailIds), retryInMs }),
    onCommit: () => {
      committed += 1;
    },
  });
}

export const noneWaiting = () => eventually(() => waiting('email.dispatch'), 0);

interface BatchOptions {
  args: [{ emailIds: string[] }];
  startDelay?: number;
}

/** Observes each start of a workflow before Temporal does. */
export function watchStarts(
  look: (type: unknown, projectId: string | undefined, options: BatchOptions) => unknown,
): void {
  const call = client.workflow.start.bind(client.workflow);
  vi.spyOn(client.workflow, 'start').mockImplementation(async (type, options) => {
    // as: only observers of email batches read it.
    await look(type, options.priority?.fairnessKey?.split('/')[0], options as unknown as BatchOptions);
    return call(type, options);
  });
}

interface Left {
  id: string;
  attempts: number;
  isDead: boolean;
  error: string | null;
  isPutOff: boolean;
}
export const left = () =>
  database.sql<Left>(
    `select id, attempts, dead_at is not null as "isDead", last_error as error,
       next_attempt_at > created_at as "isPutOff" from outbox order by attempts`,
  );
