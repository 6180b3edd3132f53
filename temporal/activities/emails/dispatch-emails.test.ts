import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { acceptEmails } from '../../../db/statements/emails/accept-emails.ts';
import type { HandOver } from '../../../providers/email/email-provider.ts';
import { useTestDatabase } from '../../../test/setup/database.ts';
import { acceptInput } from '../../../test/setup/inputs.ts';
import { oneByOne } from '../../../test/setup/one-by-one.ts';
import { insertProject } from '../../../test/setup/projects.ts';
import { storeListeners } from '../../../test/setup/stored-workflows.ts';
import { RenderTurns } from '../sending/render-turns.ts';
import { createByteBudget } from './byte-budget.ts';
import { type DispatchContext, dispatchEmails } from './dispatch-emails.ts';
import { createDispatchResources } from './email-dispatcher.ts';
import { dispatchContext } from './testing/dispatch-context.ts';

const database = useTestDatabase();
const { em, sql } = database;
let handedOver: string[] = [];
beforeEach(() => {
  handedOver = [];
});

const context = (answer: HandOver) =>
  dispatchContext(database.orm, {
    provider: oneByOne(async ({ emailId }) => {
      handedOver.push(emailId);
      return answer;
    }),
  });

async function accept(projectId: string, address: string): Promise<string> {
  const [[email] = []] = await acceptEmails(em(), [acceptInput(projectId, [address])]);
  return email?.emailId ?? expect.unreachable();
}

const statusOf = async (id: string) => {
  const [email] = await sql<{ status: string }>('select status from emails where id = $1', [id]);
  return email?.status;
};

it('an email of a disabled project does not hold up those of others', async () => {
  const [disabled, other] = [await insertProject(em()), await insertProject(em())];
  const ids = [await accept(disabled, 'a@example.com'), await accept(other, 'b@example.com')];
  await sql('update projects set disabled = true where id = $1', [disabled]);
  const busy = context({ outcome: 'later', reason: 'Throttled', retryInMs: 2_000 });
  const waiting = { openIds: ids, retryInMs: 2_000, reason: 'Throttled', sent: 0, ended: 0 };
  expect(await dispatchEmails(busy, ids)).toEqual(waiting);
  expect(handedOver).toEqual(ids.slice(1));
  const free = context({ outcome: 'accepted', messageId: 'm-1' });
  const round = await dispatchEmails(free, ids);
  expect(round).toEqual({
    openIds: ids.slice(0, 1),
    retryInMs: 5 * 60_000,
    reason: 'the project is disabled',
    sent: 1,
    ended: 0,
  });
});

it('says why emails stay open, without the addresses in the answer', async () => {
  const id = await accept(await insertProject(em()), 'a@example.com');
  const reason = '450 4.2.0 <a@example.com>: Recipient address rejected: Greylisted';
  const busy = context({ outcome: 'later', reason, retryInMs: 2_000 });
  expect(await dispatchEmails(busy, [id])).toMatchObject({
    openIds: [id],
    reason: '450 4.2.0 <…>: Recipient address rejected: Greylisted',
  });
  expect(await dispatchEmails(context({ outcome: 'accepted', messageId: 'm-1' }), [id])).not.toHaveProperty(
    'reason',
  );
});

it('an email is retried for a day after its first try, however long it waited for its project before', async () => {
  const id = await accept(await insertProject(em()), 'a@example.com');
  await sql(`update emails set created_at = now() - interval '3 days' where id = $1`, [id]);
  const busy = context({ outcome: 'later', reason: 'Throttled', retryInMs: 2_000 });
  for (const hours of [0, 23]) {
    await sql('update emails set claimed_at = claimed_at - make_interval(hours => $2) where id = $1', [
      id,
      hours,
    ]);
    expect(await dispatchEmails(busy, [id])).toMatchObject({ openIds: [id] });
  }
  await sql(`update emails set claimed_at = claimed_at - interval '1 hour' where id = $1`, [id]);
  expect(await dispatchEmails(busy, [id])).toMatchObject({ openIds: [], ended: 1 });
  expect([await statusOf(id), handedOver]).toEqual(['FAILED', [id, id, id]]);
});

it('an email that its server defers waits longer after each try, and others of its batch do not', async () => {
  const projectId = await insertProject(em());
  const ids = [await accept(projectId, 'a@example.com'), await accept(projectId, 'b@example.com')];
  const [deferred, other] = ids as [string, string];
  const answers = new Map<string, HandOver>([
    [deferred, { outcome: 'later', reason: '451 greylisted', retryInMs: 30_000, backsOff: true }],
    [other, { outcome: 'later', reason: 'Throttled', retryInMs: 2_000 }],
  ]);
  const busy = context({ outcome: 'unknown', reason: 'not asked' });
  busy.provider = oneByOne(async ({ emailId }) => {
    handedOver.push(emailId);
    return answers.get(emailId) ?? expect.unreachable();
  });
  const passes = (interval: string) =>
    sql(
      'update emails set claimed_at = claimed_at - $2::interval, retry_at = retry_at - $2::interval where id = any($1)',
      [ids, interval],
    );
  expect(await dispatchEmails(busy, ids)).toMatchObject({ openIds: ids, retryInMs: 2_000 });
  expect(await dispatchEmails(busy, ids)).toMatchObject({ openIds: ids, retryInMs: 2_000 });
  expect(handedOver.splice(0)).toEqual([deferred, other, other]);
  await passes('10 minutes');
  await dispatchEmails(busy, ids);
  expect(handedOver.splice(0)).toEqual([deferred, other]);
  await passes('9 minutes');
  answers.set(other, { outcome: 'accepted', messageId: 'm-1' });
  const { retryInMs, ...round } = await dispatchEmails(busy, ids);
  expect(round).toEqual({ openIds: [deferred], sent: 1, ended: 0 });
  expect(retryInMs).toBeGreaterThan(0);
  expect(retryInMs).toBeLessThan(61_000);
  await passes('2 minutes');
  answers.set(deferred, { outcome: 'accepted', messageId: 'm-2' });
  expect(await dispatchEmails(busy, ids)).toMatchObject({ openIds: [], sent: 1 });
  expect(handedOver).toEqual([other, deferred]);
});

it('emails the provider accepted are recorded even when the database fails in between', async () => {
  const id = await accept(await insertProject(em()), 'a@example.com');
  await sql('create sequence records');
  await sql(
    `create function fail_twice() returns trigger language plpgsql as $$
     begin
       if nextval('records') <= 2 then raise exception 'the disk is slow'; end if;
       return null;
     end $$`,
  );
  const trigger = `create trigger fail_twice before update on emails for each statement execute function fail_twice()`;
  const dispatch = context({ outcome: 'accepted', messageId: 'm-2' });
  const { handOver } = dispatch.provider;
  dispatch.provider = oneByOne(async (email) => {
    await sql(trigger);
    return handOver(email);
  });
  expect(await dispatchEmails(dispatch, [id])).toMatchObject({ sent: 1, openIds: [] });
  expect([handedOver, await statusOf(id)]).toEqual([[id], 'SENT']);
});

const acceptMany = async (projectId: string, count: number, bytes?: number) => {
  const addresses = Array.from({ length: count }, (_, index) => `reader-${index}@example.com`);
  const file = {
    filename: 'a.bin',
    contentType: 'application/octet-stream',
    cid: null,
    disposition: 'attachment' as const,
    bytes: Buffer.alloc(bytes ?? 0, 1),
  };
  const [emails = []] = await acceptEmails(em(), [
    acceptInput(projectId, addresses, bytes === undefined ? {} : { attachments: [file] }),
  ]);
  return emails.map(({ emailId }) => emailId);
};

describe('a batch that waits for the send rate', () => {
  it('claims, loads and writes none of its emails', async () => {
    await sql('truncate throttles');
    const project = await insertProject(em());
    const ids = await acceptMany(project, 50);
    const dispatch = context({ outcome: 'accepted', messageId: 'm-3' });
    dispatch.rates = { account: 0.01, project: null };
    let loads = 0;
    const { load } = dispatch;
    dispatch.load = (...of) => {
      loads += 1;
      return load(...of);
    };
    // One leaves, because an idle account grants one slot however slow it is.
    expect(await dispatchEmails(dispatch, ids)).toMatchObject({ sent: 1, openIds: ids.slice(1) });
    const versions = () => sql('select id, xmin, attempts from emails where id = any($1) order by id', [ids]);
    const before = await versions();
    const round = await dispatchEmails(dispatch, ids.slice(1));
    expect(round).toMatchObject({ openIds: ids.slice(1), sent: 0, ended: 0 });
    expect(round.retryInMs).toBeGreaterThan(10_000);
    expect(await versions()).toEqual(before);
    expect([loads, handedOver]).toEqual([1, ids.slice(0, 1)]);
  });

  it('hands over exactly the emails with a slot, none before its time, and claims nothing else', async () => {
    const project = await insertProject(em());
    const ids = await acceptMany(project, 24);
    const slots = fc.array(fc.option(fc.integer({ min: 0, max: 700 })), { minLength: 24, maxLength: 24 });
    await fc.assert(
      fc.asyncProperty(slots, async (times) => {
        await sql(
          `update emails set status = 'QUEUED', claim_token = null, attempts = 0 where id = any($1)`,
          [ids],
        );
        const dispatch = context({ outcome: 'accepted', messageId: 'm-4' });
        dispatch.rates = { account: 10, project: null };
        const startedAt = Date.now();
        const leftAt = new Map<string, number>();
        dispatch.provider = oneByOne(async ({ emailId }) => {
          expect(leftAt.has(emailId)).toBe(false);
          leftAt.set(emailId, Date.now() - startedAt);
          return { outcome: 'accepted', messageId: 'm-4' };
        });
        dispatch.reserve = async (_, emails) => {
          const timed = emails.map((email) => ({ email, inMs: times[ids.indexOf(email.id)] ?? null }));
          return {
            granted: timed
              .flatMap(({ email, inMs }) => (inMs === null ? [] : [{ email, inMs }]))
              .toSorted((one, other) => one.inMs - other.inMs),
            held: timed.flatMap(({ email, inMs }) => (inMs === null ? [email] : [])),
            retryInMs: new Map([[project, 60_000]]),
          };
        };
        const withSlot = ids.filter((_, index) => times[index] !== null);
        const round = await dispatchEmails(dispatch, ids);
        expect(round).toMatchObject({ sent: withSlot.length, ended: 0 });
        expect([...leftAt.keys()].toSorted()).toEqual(withSlot.toSorted());
        // A timer may be a millisecond early.
        for (const [id, atMs] of leftAt)
          expect(atMs).toBeGreaterThanOrEqual((times[ids.indexOf(id)] ?? 0) - 1);
        const untouched = await sql<{ count: number }>(
          'select count(*)::int as count from emails where id = any($1) and claim_token is null and attempts = 0',
          [ids],
        );
        expect(untouched[0]?.count).toBe(ids.length - withSlot.length);
      }),
      { numRuns: 8 },
    );
  });
});

it('an email leaves at its time even when the clock is set back while it waits', async () => {
  const ids = await acceptMany(await insertProject(em()), 2);
  const dispatch = context({ outcome: 'accepted', messageId: 'm-9' });
  dispatch.rates = { account: 10, project: null };
  dispatch.reserve = async (_, emails) => ({
    granted: emails.map((email, index) => ({ email, inMs: 600 * index })),
    held: [],
    retryInMs: new Map(),
  });
  dispatch.provider = oneByOne(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3_600_000 });
    return { outcome: 'accepted', messageId: 'm-9' };
  });
  try {
    expect(await dispatchEmails(dispatch, ids)).toMatchObject({ sent: 2 });
  } finally {
    vi.useRealTimers();
  }
});

describe('emails with large attachments', () => {
  const mega = 1024 * 1024;

  it('are loaded only up to the memory budget, and no small email waits behind them', async () => {
    const [loud, quiet] = [await insertProject(em()), await insertProject(em())];
    const large = await Promise.all(Array.from({ length: 12 }, () => acceptMany(loud, 1, mega)));
    const small = await acceptMany(quiet, 1);
    const shared = createDispatchResources(database.orm, new RenderTurns(1), 256);
    shared.bytes = createByteBudget({ small: mega, large: 5 * mega });
    const inMemory = { now: 0, most: 0 };
    const { take } = shared.bytes;
    shared.bytes = {
      take: async (owner, lot) => {
        const turn = await take(owner, lot);
        if ('retryInMs' in turn) return turn;
        let loaded = 0;
        const release = (bytes: number) => {
          loaded += bytes;
          inMemory.now += bytes;
          inMemory.most = Math.max(inMemory.most, inMemory.now);
        };
        release(lot.isLarge ? mega : 0);
        return {
          release: () => {
            inMemory.now -= loaded;
            turn.release();
          },
        };
      },
    };
    let loaded = 0;
    const run = (ids: string[], handOver: DispatchContext['provider']['handOver']) =>
      dispatchEmails(
        {
          ...context({ outcome: 'accepted', messageId: 'm-5' }),
          ...shared,
          load: async (...of) => {
            const contents = await shared.load(...of);
            for (const { attachments } of contents.values()) {
              for (const { bytes } of attachments) loaded += bytes.length;
            }
            return contents;
          },
          em: em(),
          provider: oneByOne(handOver),
        },
        ids,
      );
    const smallIsOut = Promise.withResolvers<void>();
    const largeIsOut = Promise.withResolvers<void>();
    const rounds = Promise.all(
      large.map(async (ids) => {
        for (let open = ids; open.length > 0; ) {
          const round = await run(open, async () => {
            largeIsOut.resolve();
            await smallIsOut.promise;
            await delay(5);
            return { outcome: 'accepted', messageId: 'm-5' };
          });
          open = round.openIds;
          // Emails that are turned away come again.
          if (open.length > 0) await delay(Math.min(200, round.retryInMs));
        }
      }),
    );
    await largeIsOut.promise;
    await run(small, async ({ emailId }) => {
      handedOver.push(emailId);
      return { outcome: 'accepted', messageId: 'm-6' };
    });
    smallIsOut.resolve();
    expect(handedOver).toEqual(small);
    await rounds;
    expect(loaded).toBe(12 * mega);
    expect(inMemory.most).toBeLessThanOrEqual(2 * mega);
    expect(inMemory.now).toBe(0);
  });

  it('with the same content are loaded once for eight recipients', async () => {
    const ids = await acceptMany(await insertProject(em()), 20, mega);
    const dispatch = context({ outcome: 'accepted', messageId: 'm-7' });
    let loads = 0;
    const { load } = dispatch;
    dispatch.load = (...of) => {
      loads += 1;
      return load(...of);
    };
    expect(await dispatchEmails(dispatch, ids)).toMatchObject({ sent: 20, openIds: [] });
    expect([loads, handedOver.toSorted()]).toEqual([3, ids.toSorted()]);
  });

  it('are left to the next run when their hand-overs take so long that this one would time out', async () => {
    const ids = await acceptMany(await insertProject(em()), 8, mega / 2);
    const now = performance.now.bind(performance);
    let uploadsMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now() + uploadsMs);
    onTestFinished(() => void vi.restoreAllMocks());
    const dispatch = context({ outcome: 'accepted', messageId: 'm-10' });
    const { handOver } = dispatch.provider;
    dispatch.provider = oneByOne((email) => {
      uploadsMs += 20_000;
      return handOver(email);
    });
    dispatch.reserve = async (_, emails) => ({
      granted: emails.map((email, index) => ({ email, inMs: 300 * index })),
      held: [],
      retryInMs: new Map(),
    });
    const round = await dispatchEmails(dispatch, ids);
    expect(round).toEqual({ openIds: ids.slice(3), retryInMs: 50, sent: 3, ended: 0 });
    expect(await Promise.all(ids.slice(3).map(statusOf))).toEqual(Array(5).fill('QUEUED'));
    expect(await dispatchEmails(dispatch, round.openIds)).toMatchObject({ sent: 3, openIds: ids.slice(6) });
    expect(await dispatchEmails(dispatch, ids.slice(6))).toMatchObject({ sent: 2, openIds: [] });
    expect(handedOver).toEqual(ids);
  });
});

describe('emails of one sender, with a provider that accepts several per call', () => {
  const calls: string[][] = [];
  function inCalls(answerOf: (index: number) => HandOver): DispatchContext {
    calls.length = 0;
    const dispatch = context({ outcome: 'accepted', messageId: 'm-8' });
    dispatch.provider = {
      ...dispatch.provider,
      emailsPerCall: 50,
      async handOverMany(emails) {
        calls.push(emails.map(({ emailId }) => emailId));
        return emails.map((_, index) => answerOf(index));
      },
    };
    return dispatch;
  }

  it('share calls, each with its own outcome', async () => {
    const ids = await acceptMany(await insertProject(em()), 60);
    const dispatch = inCalls((index) => {
      if (index === 0) return { outcome: 'refused', reason: 'no such domain' };
      if (index === 1) return { outcome: 'later', reason: 'Throttled', retryInMs: 3_000 };
      return { outcome: 'accepted', messageId: `m-${index}` };
    });
    const round = await dispatchEmails(dispatch, ids);
    // Both calls are in flight at once.
    expect(calls.toSorted((a, b) => b.length - a.length)).toEqual([ids.slice(0, 50), ids.slice(50)]);
    expect(handedOver).toEqual([]);
    const [first = '', second = '', third = ''] = ids;
    expect(await Promise.all([first, second, third].map(statusOf))).toEqual(['FAILED', 'QUEUED', 'SENT']);
    expect(round).toMatchObject({ openIds: [second, ids[51]], sent: 56, ended: 2 });
  });

  it('are all in doubt when the call gets no answer, and none leaves again immediately', async () => {
    const ids = await acceptMany(await insertProject(em()), 5);
    const dispatch = inCalls(() => ({ outcome: 'unknown', reason: 'no answer' }));
    const round = await dispatchEmails(dispatch, ids);
    expect(round).toMatchObject({ openIds: ids, sent: 0, ended: 0 });
    expect(round.retryInMs).toBeGreaterThan(100_000);
    expect(await Promise.all(ids.map(statusOf))).toEqual(ids.map(() => 'UNKNOWN'));
    expect(await dispatchEmails(dispatch, ids)).toMatchObject({ openIds: ids, sent: 0 });
    expect(calls).toHaveLength(1);
  });

  it('leave without the email whose start could not be recorded', async () => {
    const ids = await acceptMany(await insertProject(em()), 4);
    const dispatch = inCalls(() => ({ outcome: 'accepted', messageId: 'm-9' }));
    const { begin } = dispatch;
    dispatch.begin = (beginning) =>
      beginning.emailId === ids[1] ? Promise.reject(new Error('the disk is full')) : begin(beginning);
    expect(await dispatchEmails(dispatch, ids)).toMatchObject({ openIds: [ids[1]], sent: 3 });
    expect(calls).toEqual([ids.toSpliced(1, 1)]);
    expect(await statusOf(ids[1] ?? '')).toBe('QUEUED');
  });
});

it('emails that start very many executions are recorded in turns, and apart from those of others', async () => {
  const [loud, quiet] = [await insertProject(em()), await insertProject(em())];
  await storeListeners(em(), loud, 'email.sent', 200);
  const addresses = Array.from({ length: 40 }, (_, n) => `reader-${n}@example.com`);
  const [accepted = []] = await acceptEmails(em(), [acceptInput(loud, addresses)]);
  const ids = [...accepted.map(({ emailId }) => emailId), await accept(quiet, 'a@example.com')];
  const sending = context({ outcome: 'accepted', messageId: 'm-1' });
  expect(await dispatchEmails(sending, ids)).toMatchObject({ openIds: [], sent: 41 });
  const perStatement = await sql<{ isLoud: boolean; sent: number }>(
    `select project_id = $1 as "isLoud", count(*)::int as sent from events where name = 'email.sent' and project_id in ($1, $2)
     group by xid, project_id order by xid`,
    [loud, quiet],
  );
  const statements = await sql(
    `select from events where name = 'email.sent' and project_id in ($1, $2) group by xid`,
    [loud, quiet],
  );
  expect(statements).toHaveLength(perStatement.length);
  for (const { sent } of perStatement) expect(sent).toBeLessThanOrEqual(25);
  expect(await sql('select from workflow_executions where project_id = $1', [loud])).toHaveLength(8_000);
  expect([sending.turns.isSlow(loud), sending.turns.isSlow(quiet)]).toEqual([true, false]);
});
