import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../test/setup/eventually.ts';
import {
  committed,
  database,
  left,
  loseTemporal,
  noneWaiting,
  notified,
  order,
  orderMany,
  relay,
  start,
  tryFirst,
  useRelayStage,
  waiting,
  watchStarts,
} from './testing/relay-stage.ts';

useRelayStage();

describe('emails', () => {
  it('are sent while Temporal is still working on thousands of other commands', async () => {
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
      relay.wake();
      await eventually(() => waiting('email.dispatch'), 0);
      // The emails of a round share a call, and concurrent rounds divide the emails.
      expect(emails).toBeLessThanOrEqual(10);
      expect(await waiting('domain.verify')).toBe(2_000);
    } finally {
      release.resolve();
    }
  });

  it('of a project with many wait for activity slots in its own turn, apart from those of others', async () => {
    const [loud, calm, quiet] = [randomUUID(), randomUUID(), randomUUID()];
    await orderMany(loud, 120, 0, 'email.dispatch');
    await orderMany(calm, 3, 0, 'email.dispatch');
    await orderMany(quiet, 2, 0, 'email.dispatch');
    const emails = await database.sql<{ email: string; project: string }>(
      'select subject_id as email, project_id as project from outbox',
    );
    const projectOf = new Map(emails.map(({ email, project }) => [email, project]));
    const batches: { turn: string | undefined; projects: Set<string | undefined>; size: number }[] = [];
    watchStarts((_, turn, { args: [{ emailIds }] }) => {
      const projects = new Set(emailIds.map((id) => projectOf.get(id)));
      batches.push({ turn, projects, size: emailIds.length });
    });
    start(`relay-${randomUUID()}`);
    tryFirst((emailIds) => emailIds);
    relay.wakeEmails();
    await noneWaiting();
    for (const { turn, projects, size } of batches) {
      if (turn === undefined) expect(size).toBeLessThan(30);
      else expect([turn, [...projects]]).toEqual([loud, [loud]]);
    }
    const ofLoud = batches.filter(({ turn }) => turn === loud);
    expect(ofLoud.reduce((sum, { size }) => sum + size, 0)).toBeGreaterThanOrEqual(100);
  });

  it('are left to processes that have a worker, which are notified', async () => {
    start(`relay-${randomUUID()}`);
    await order('email.dispatch');
    relay.wakeEmails();
    relay.wakeLane('emails');
    await eventually(async () => notified, 1);
    await order('domain.verify');
    relay.wakeLane('work');
    await eventually(() => waiting('domain.verify'), 0);
    expect(await waiting('email.dispatch')).toBe(1);
    tryFirst(() => []);
    await noneWaiting();
  });

  it('get a workflow only when the first try leaves them open', async () => {
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
    relay.wakeEmails();
    await noneWaiting();
    expect([tried.flat().length, batches.length]).toEqual([1, 0]);
    await eventually(async () => committed, 1);

    await orderMany(randomUUID(), 30, 0, 'email.dispatch');
    const subjects = await database.sql<{ id: string }>('select subject_id as id from outbox');
    for (const { id } of subjects.slice(0, 4)) open.add(id);
    relay.wakeEmails();
    await noneWaiting();
    expect(tried.flat().length).toBe(31);
    expect(new Set(batches.flat())).toEqual(open);
    expect(notified).toBe(0);
  });

  it('leave while Temporal is away, and open ones wait for it', async () => {
    await loseTemporal();
    const troubled = await order('email.dispatch');
    const [row] = await database.sql<{ id: string }>('select subject_id as id from outbox');
    await orderMany(randomUUID(), 5, 0, 'email.dispatch');
    start('away');
    tryFirst((emailIds) => emailIds.filter((id) => id === row?.id));
    await eventually(left, (list) => list.length === 1 && list[0]?.isPutOff === true);
    expect(await left()).toEqual([{ id: troubled, attempts: 0, isDead: false, error: null, isPutOff: true }]);
    // The lane continues meanwhile.
    await order('email.dispatch');
    relay.wakeEmails();
    await eventually(left, (list) => list.length === 1);
  });

  it('are tried while earlier ones still wait for the provider', async () => {
    const slow = Promise.withResolvers<string[]>();
    let tries = 0;
    start(`relay-${randomUUID()}`);
    tryFirst(() => {
      tries += 1;
      return tries === 1 ? slow.promise : [];
    });
    await order('email.dispatch');
    relay.wakeEmails();
    await eventually(async () => tries, 1);
    await order('email.dispatch');
    relay.wakeEmails();
    await eventually(() => waiting('email.dispatch'), 1);
    expect(tries).toBe(2);
    slow.resolve([]);
    await noneWaiting();
  });
});
