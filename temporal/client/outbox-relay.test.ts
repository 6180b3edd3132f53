import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { eventually } from '../../test/setup/eventually.ts';
import { jobTaskQueue, onTaskQueues } from '../contracts/task-queues.ts';
import {
  client,
  createRelay,
  database,
  left,
  loseTemporal,
  order,
  orderMany,
  relay,
  start,
  useRelayStage,
  waiting,
  warnings,
  watchStarts,
} from './testing/relay-stage.ts';

useRelayStage();

/** Temporal accepts names of up to a thousand characters. */
const refusedQueue = 'q'.repeat(1_001);

describe('a command', () => {
  it('that Temporal refuses is postponed, is dead after twelve attempts, and holds up no other', async () => {
    const refused = await order('domain.verify');
    const last = await order('domain.verify', 11);
    // A call without a task queue: there is nothing to end.
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

  it('starts a job on the task queue of jobs, and what may be numerous on that of executions', async () => {
    const jobs = ['campaign.changed', 'contacts.import', 'contacts.bulk', 'domain.verify', 'inbound.receive'];
    for (const kind of [...jobs, 'events.delete', 'project.erase', 'contact.snooze']) await order(kind);
    const taskQueue = `relay-${randomUUID()}`;
    start(taskQueue);
    const typesOn = (name: string) => async () => {
      const types: string[] = [];
      for await (const { type } of client.workflow.list({ query: onTaskQueues([name]) })) types.push(type);
      return types.sort().join(' ');
    };
    await eventually(
      typesOn(jobTaskQueue(taskQueue)),
      'campaign contactBulk contactImport domainVerification eventDeletion inboundEmail projectErasure',
    );
    await eventually(typesOn(taskQueue), 'contactSnooze');
  });

  it('that gets no answer lets others go first, and does not count as refused', async () => {
    const unanswered = await order('domain.verify');
    await order('project.erase');
    const call = client.workflow.start.bind(client.workflow);
    let tries = 0;
    // The answer of a failing shard; the rest of the server is real.
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

  it('that gets no answer lets others go first even after Temporal was slow', async () => {
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
    relay.wake();
    await eventually(() => waiting('project.erase'), 0);
    expect(await waiting('domain.verify')).toBe(3);
  });

  it('waits unchanged while Temporal is away', async () => {
    await loseTemporal();
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
  it('of projects take turns, whichever has waited longer', async () => {
    const [busy, quiet, small] = [randomUUID(), randomUUID(), randomUUID()];
    await orderMany(busy, 400, 600);
    const starts: (string | undefined)[] = [];
    watchStarts(async (_type, projectId) => {
      starts.push(projectId);
      // As if they arrived while the backlog is being sent.
      if (starts.length === 100) {
        await orderMany(quiet, 10, 0);
        await orderMany(small, 1, 0);
      }
    });
    start(`relay-${randomUUID()}`);
    await eventually(() => waiting('domain.verify'), 0);
    expect(starts).toHaveLength(411);
    // After the rest of the running round, in which each project has a third.
    expect(starts.filter((project) => project === quiet)).toHaveLength(10);
    expect(starts.indexOf(small)).toBeGreaterThan(0);
    expect(starts.lastIndexOf(small)).toBeLessThan(200);
    expect(starts.lastIndexOf(quiet)).toBeLessThan(200);
  });

  it('of a project with few are called before the many of another in their round', async () => {
    const [busy, quiet] = [randomUUID(), randomUUID()];
    await orderMany(busy, 100, 600);
    await orderMany(quiet, 2, 0, 'project.erase');
    const starts: (string | undefined)[] = [];
    watchStarts((_type, projectId) => starts.push(projectId));
    start(`relay-${randomUUID()}`);
    await eventually(() => waiting('domain.verify'), 0);
    expect(starts.slice(0, 4).filter((project) => project === quiet)).toHaveLength(2);
  });

  it('are each sent once by relays of several processes', async () => {
    await Promise.all(Array.from({ length: 20 }, () => orderMany(randomUUID(), 20, 5)));
    await orderMany(randomUUID(), 1, 3_600, 'contact.snooze');
    await orderMany(randomUUID(), 1, -3_600, 'contact.snooze');
    let starts = 0;
    watchStarts(() => {
      starts += 1;
    });
    const taskQueue = `relay-${randomUUID()}`;
    const others = [1, 2].map(() => createRelay(taskQueue));
    for (const other of others) other.start();
    start(taskQueue);
    await eventually(() => waiting('domain.verify'), 0);
    await eventually(() => waiting('contact.snooze'), 1);
    await Promise.all(others.map((other) => other.stop()));
    expect(starts).toBe(400);
    expect(warnings).toEqual([]);
  });

  it('of one execution are sent in their order, and together', async () => {
    const [executionId, projectId] = [randomUUID(), randomUUID()];
    await database.sql(
      `insert into workflow_executions (id, project_id, workflow_id, version, contact_id, only_once)
       values ($1, $2, uuidv7(), 1, uuidv7(), false)`,
      [executionId, projectId],
    );
    for (const [index, kind] of ['execution.start', 'execution.wake', 'execution.wake'].entries()) {
      await database.sql(
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

  it('are sent again when their transaction broke after sending', async () => {
    await orderMany(randomUUID(), 5, 5);
    let starts = 0;
    watchStarts(() => {
      starts += 1;
    });
    let rounds = 0;
    start(`relay-${randomUUID()}`, {
      around: async (_round, send) => {
        rounds += 1;
        const workflowIds = await send();
        if (rounds === 1) throw new Error('the process ended here');
        return workflowIds;
      },
    });
    await eventually(left, (list) => list.length === 0);
    expect(starts).toBe(10);
    expect(warnings).toEqual(['Commands to Temporal are waiting']);
  });
});
