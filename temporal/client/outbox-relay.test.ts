import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { afterEach, beforeEach, describe, expect, inject, it, vi } from 'vitest';
import { sql } from '../../db/testing/sql.ts';
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts';
import { eventually } from '../../test/setup/eventually.ts';
import { createTemporalClient } from './connect.ts';
import { createOutboxRelay, type OutboxRelay } from './outbox-relay.ts';

let database: TestDatabase;
let client: Client;
let relay: OutboxRelay | undefined;
let warnings: string[] = [];
beforeEach(async () => {
  database = await createTestDatabase();
  client = connect(inject('temporalAddress'));
  warnings = [];
  notified = 0;
  committed = 0;
});
afterEach(async () => {
  vi.restoreAllMocks();
  await relay?.stop();
  await client.connection.close();
  await database.close();
});

function connect(address: string): Client {
  return createTemporalClient({ environment: { TEMPORAL_ADDRESS: address }, dataConverter: undefined });
}

let notified = 0;
let committed = 0;
const notifyWorkers = async () => {
  notified += 1;
};

function start(taskQueue: string): void {
  const warn = (message: string) => warnings.push(message);
  relay = createOutboxRelay({
    orm: database.orm,
    client,
    taskQueue,
    warn,
    notifyWorkers,
    emailRoundsAtATime: 2,
  });
  relay.start();
}

const em = () => database.em();

async function order(kind: string, attempts = 0): Promise<string> {
  const id = randomUUID();
  await sql(em(), 'insert into outbox (id, kind, subject_id, attempts) values ($1, $2, $3, $4)', [
    id,
    kind,
    randomUUID(),
    attempts,
  ]);
  return id;
}

/** Commands of a project, which fell due so many seconds ago. */
const orderMany = (projectId: string, count: number, dueSecondsAgo: number, kind = 'domain.verify') =>
  sql(
    em(),
    `insert into outbox (id, kind, subject_id, project_id, next_attempt_at)
     select uuidv7(), $4, uuidv7(), $1, now() - make_interval(secs => $3) from generate_series(1, $2)`,
    [projectId, count, dueSecondsAgo, kind],
  );

const waiting = async (kind: string) =>
  (await sql<{ count: number }>(em(), 'select count(*)::int as count from outbox where kind = $1', [kind]))[0]
    ?.count ?? 0;

/** As a process with a worker does; what the try returns needs a workflow. */
function tryFirst(run: (emailIds: string[]) => string[] | Promise<string[]>, retryInMs = 0): void {
  relay?.useFirstTry({
    run: async (emailIds) => ({ openIds: await run(emailIds), retryInMs }),
    onCommit: () => {
      committed += 1;
    },
  });
}

const noneWaiting = () =>
  eventually(
    () => waiting('email.dispatch'),
    (count) => count === 0,
  );

interface BatchOptions {
  args: [{ emailIds: string[] }];
  startDelay?: number;
}

/** Looks at each start of a workflow before Temporal does. */
function watchStarts(
  look: (type: unknown, projectId: string | undefined, options: BatchOptions) => unknown,
): void {
  const call = client.workflow.start.bind(client.workflow);
  vi.spyOn(client.workflow, 'start').mockImplementation(async (type, options) => {
    // as: only those who look at email batches read it.
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
const left = () =>
  sql<Left>(
    em(),
    `select id, attempts, dead_at is not null as "isDead", last_error as error,
       next_attempt_at > created_at as "isPutOff" from outbox order by attempts`,
  );

/** Temporal takes names of up to a thousand characters. */
const refusedQueue = 'q'.repeat(1_001);

describe('a command', () => {
  it('that Temporal refuses is put off and dies after twelve tries, and holds up no other', async () => {
    const refused = await order('domain.verify');
    const last = await order('domain.verify', 11);
    // A call without a task queue: nothing is there that it could end.
    await order('execution.cancel');
    start(refusedQueue);
    const commands = await eventually(left, (list) => list.length === 2 && list.every(({ error }) => error));
    expect(commands).toEqual([
      {
        id: refused,
        attempts: 1,
        isDead: false,
        error: expect.stringMatching(/task ?queue/i),
        isPutOff: true,
      },
      { id: last, attempts: 12, isDead: true, error: expect.stringMatching(/task ?queue/i), isPutOff: true },
    ]);
    expect(new Set(warnings)).toEqual(new Set(['Temporal refused a command; it is postponed']));
  });

  it('that gets no answer lets the others go before it, and is not counted as refused', async () => {
    const unanswered = await order('domain.verify');
    await order('project.erase');
    const call = client.workflow.start.bind(client.workflow);
    let tries = 0;
    // What a shard that is ill answers; the rest of the server is the real one.
    vi.spyOn(client.workflow, 'start').mockImplementation((type, options) => {
      if (type !== 'domainVerification') return call(type, options);
      tries += 1;
      const answer = Object.assign(new Error('shard'), { code: 4, details: 'shard', metadata: {} });
      return Promise.reject(new Error('Failed to start Workflow', { cause: answer }));
    });
    start(`relay-${randomUUID()}`);
    const commands = await eventually(left, (list) => list.length === 1 && list[0]?.isPutOff === true);
    expect(commands).toEqual([{ id: unanswered, attempts: 0, isDead: false, error: null, isPutOff: true }]);
    const before = tries;
    await eventually(
      async () => tries,
      (count) => count > before,
    );
    vi.restoreAllMocks();
    await eventually(left, (list) => list.length === 0);
  });

  it('that gets no answer lets the others go before it when Temporal was slow before', async () => {
    const call = client.workflow.start.bind(client.workflow);
    vi.spyOn(client.workflow, 'start').mockImplementation(async (type, options) => {
      if (type === 'domainVerification') {
        const answer = Object.assign(new Error('shard'), { code: 4, details: 'shard', metadata: {} });
        throw new Error('Failed to start Workflow', { cause: answer });
      }
      await delay(150);
      return call(type, options);
    });
    const projectId = randomUUID();
    await orderMany(projectId, 150, 60, 'project.erase');
    start(`relay-${randomUUID()}`);
    await eventually(left, (list) => list.length === 0);
    await orderMany(projectId, 3, 20);
    await orderMany(projectId, 1, 10, 'project.erase');
    relay?.wake();
    await eventually(
      () => waiting('project.erase'),
      (count) => count === 0,
    );
    expect(await waiting('domain.verify')).toBe(3);
  });

  it('waits as it is while Temporal is away', async () => {
    await client.connection.close();
    client = connect('127.0.0.1:1');
    const id = await order('domain.verify');
    start('away');
    await eventually(
      async () => warnings,
      (list) => list.length > 0,
    );
    expect(warnings).toEqual(['Commands to Temporal are waiting']);
    expect(await left()).toEqual([{ id, attempts: 0, isDead: false, error: null, isPutOff: false }]);
  });
});

describe('commands', () => {
  it('of emails are sent while Temporal is still at work on thousands of others', async () => {
    await orderMany(randomUUID(), 2_000, 60);
    const release = Promise.withResolvers<void>();
    let [held, emails] = [0, 0];
    watchStarts(async (type) => {
      if (type === 'emailBatch') emails += 1;
      else held += 1;
      if (type !== 'emailBatch') await release.promise;
    });
    try {
      start(`relay-${randomUUID()}`);
      tryFirst((emailIds) => emailIds);
      await eventually(
        async () => held,
        (count) => count > 0,
      );
      await order('email.dispatch');
      await orderMany(randomUUID(), 99, 0, 'email.dispatch');
      relay?.wake();
      await eventually(
        () => waiting('email.dispatch'),
        (count) => count === 0,
      );
      // The emails of a round share a call, and rounds at the same time share the emails.
      expect(emails).toBeLessThanOrEqual(10);
      expect(await waiting('domain.verify')).toBe(2_000);
    } finally {
      release.resolve();
    }
  });

  it('of emails are left to processes that have a worker, which are notified', async () => {
    start(`relay-${randomUUID()}`);
    await order('email.dispatch');
    relay?.wakeEmails();
    relay?.wakeLane('emails');
    await eventually(
      async () => notified,
      (count) => count === 1,
    );
    await order('domain.verify');
    relay?.wakeLane('work');
    await eventually(
      () => waiting('domain.verify'),
      (count) => count === 0,
    );
    expect(await waiting('email.dispatch')).toBe(1);
    tryFirst(() => []);
    await noneWaiting();
  });

  it('of emails get a workflow only for what the first try of the process leaves open', async () => {
    const batches: string[][] = [];
    start(`relay-${randomUUID()}`);
    watchStarts((_type, _project, { args, startDelay }) => {
      expect(startDelay).toBe(1_500);
      batches.push(args[0].emailIds);
    });
    const tried: string[][] = [];
    const open = new Set<string>();
    tryFirst((emailIds) => {
      tried.push(emailIds);
      return emailIds.filter((id) => open.has(id));
    }, 1_500);
    await order('email.dispatch');
    relay?.wakeEmails();
    await noneWaiting();
    expect([tried.flat().length, batches.length]).toEqual([1, 0]);
    await eventually(
      async () => committed,
      (count) => count === 1,
    );

    await orderMany(randomUUID(), 30, 0, 'email.dispatch');
    const subjects = await sql<{ id: string }>(em(), 'select subject_id as id from outbox');
    for (const { id } of subjects.slice(0, 4)) open.add(id);
    relay?.wakeEmails();
    await noneWaiting();
    expect(tried.flat().length).toBe(31);
    expect(new Set(batches.flat())).toEqual(open);
    expect(notified).toBe(0);
  });

  it('of emails leave while Temporal is away, and what they leave open waits for it', async () => {
    await client.connection.close();
    client = connect('127.0.0.1:1');
    const troubled = await order('email.dispatch');
    const [row] = await sql<{ id: string }>(em(), 'select subject_id as id from outbox');
    await orderMany(randomUUID(), 5, 0, 'email.dispatch');
    start('away');
    tryFirst((emailIds) => emailIds.filter((id) => id === row?.id));
    await eventually(left, (list) => list.length === 1 && list[0]?.isPutOff === true);
    expect(await left()).toEqual([{ id: troubled, attempts: 0, isDead: false, error: null, isPutOff: true }]);
    // The lane goes on meanwhile.
    await order('email.dispatch');
    relay?.wakeEmails();
    await eventually(left, (list) => list.length === 1);
  });

  it('of emails are tried while earlier ones still wait for the provider', async () => {
    const slow = Promise.withResolvers<string[]>();
    let tries = 0;
    start(`relay-${randomUUID()}`);
    tryFirst(() => {
      tries += 1;
      return tries === 1 ? slow.promise : [];
    });
    await order('email.dispatch');
    relay?.wakeEmails();
    await eventually(
      async () => tries,
      (count) => count === 1,
    );
    await order('email.dispatch');
    relay?.wakeEmails();
    await eventually(
      () => waiting('email.dispatch'),
      (count) => count === 1,
    );
    expect(tries).toBe(2);
    slow.resolve([]);
    await noneWaiting();
  });

  it('of projects take turns, whichever of them has waited for longer', async () => {
    const [busy, quiet, small] = [randomUUID(), randomUUID(), randomUUID()];
    await orderMany(busy, 400, 600);
    const starts: (string | undefined)[] = [];
    watchStarts(async (_type, projectId) => {
      starts.push(projectId);
      // As if they came while the backlog is being sent.
      if (starts.length === 100) {
        await orderMany(quiet, 10, 0);
        await orderMany(small, 1, 0);
      }
    });
    start(`relay-${randomUUID()}`);
    await eventually(
      () => waiting('domain.verify'),
      (count) => count === 0,
    );
    expect(starts).toHaveLength(411);
    // Behind the rest of the round that was running, of which each project has a third.
    expect(starts.filter((project) => project === quiet)).toHaveLength(10);
    expect(starts.indexOf(small)).toBeGreaterThan(0);
    expect(starts.lastIndexOf(small)).toBeLessThan(200);
    expect(starts.lastIndexOf(quiet)).toBeLessThan(200);
  });

  it('are sent once each by relays of several processes', async () => {
    await Promise.all(Array.from({ length: 20 }, () => orderMany(randomUUID(), 20, 5)));
    await orderMany(randomUUID(), 1, 3_600, 'contact.snooze');
    await orderMany(randomUUID(), 1, -3_600, 'contact.snooze');
    let starts = 0;
    watchStarts(() => {
      starts += 1;
    });
    const taskQueue = `relay-${randomUUID()}`;
    const others = [1, 2].map(() =>
      createOutboxRelay({
        orm: database.orm,
        client,
        taskQueue,
        notifyWorkers,
        emailRoundsAtATime: 2,
        warn: (message) => warnings.push(message),
      }),
    );
    for (const other of others) other.start();
    start(taskQueue);
    await eventually(
      () => waiting('domain.verify'),
      (count) => count === 0,
    );
    await eventually(
      () => waiting('contact.snooze'),
      (count) => count === 1,
    );
    await Promise.all(others.map((other) => other.stop()));
    expect(starts).toBe(400);
    expect(warnings).toEqual([]);
  });

  it('of one execution are sent in their order, and together', async () => {
    const [executionId, projectId] = [randomUUID(), randomUUID()];
    await sql(
      em(),
      `insert into workflow_executions (id, project_id, workflow_id, version, contact_id, only_once)
       values ($1, $2, uuidv7(), 1, uuidv7(), false)`,
      [executionId, projectId],
    );
    for (const [index, kind] of ['execution.start', 'execution.wake', 'execution.wake'].entries()) {
      await sql(
        em(),
        `insert into outbox (id, kind, subject_id, project_id, next_attempt_at)
         values (uuidv7(), $1, $2, $3, now() - make_interval(secs => $4))`,
        [kind, executionId, projectId, 30 - index],
      );
    }
    const calls: string[] = [];
    watchStarts(() => calls.push('start'));
    const signal = client.workflow.signalWithStart.bind(client.workflow);
    vi.spyOn(client.workflow, 'signalWithStart').mockImplementation((type, options) => {
      calls.push('wake');
      return signal(type, options);
    });
    start(`relay-${randomUUID()}`);
    await eventually(left, (list) => list.length === 0);
    expect(calls).toEqual(['start', 'wake']);
  });

  it('that were sent when their transaction broke are sent again', async () => {
    await orderMany(randomUUID(), 5, 5);
    let starts = 0;
    watchStarts(() => {
      starts += 1;
    });
    let rounds = 0;
    relay = createOutboxRelay({
      orm: database.orm,
      client,
      taskQueue: `relay-${randomUUID()}`,
      notifyWorkers,
      warn: (message) => warnings.push(message),
      emailRoundsAtATime: 2,
      around: async (_round, send) => {
        rounds += 1;
        const workflowIds = await send();
        if (rounds === 1) throw new Error('the process ended here');
        return workflowIds;
      },
    });
    relay.start();
    await eventually(left, (list) => list.length === 0);
    expect(starts).toBe(10);
    expect(warnings).toEqual(['Commands to Temporal are waiting']);
  });
});
