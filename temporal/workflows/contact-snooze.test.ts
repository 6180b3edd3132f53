import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { newId } from '../../core/new-id.ts';
import { changeSubscription } from '../../db/statements/contacts/change-subscription.ts';
import { sql } from '../../db/testing/sql.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { eventually } from '../../test/setup/eventually.ts';
import { useTimeSkipping } from '../../test/setup/time-skipping.ts';
import { endContactSnooze } from '../activities/contacts/end-snooze.ts';

const dayMs = 86_400_000;
const projectId = randomUUID();

const environment = useTimeSkipping();
const { em } = useTestDatabase();
const now = () => environment.currentTimeMs();

/** A contact whose snooze ends `ms` after the current time of the skipping clock. */
async function snoozedFor(ms: number) {
  const contactId = newId();
  const until = (await now()) + ms;
  await sql(
    em(),
    `insert into contacts (id, project_id, email, subscribed, snoozed_until)
     values ($1::uuid, $2, $1::text || '@example.com', false, $3)`,
    [contactId, projectId, new Date(until)],
  );
  return { contactId, until };
}

const moveEnd = (contactId: string, until: number) =>
  sql(em(), 'update contacts set snoozed_until = $2 where id = $1', [contactId, new Date(until)]);

async function readState(contactId: string) {
  const [row] = await sql<{ subscribed: boolean; snoozed_until: Date | null }>(
    em(),
    'select subscribed, snoozed_until from contacts where id = $1',
    [contactId],
  );
  return row;
}

/**
 * Runs the workflow with the real activity on the real database, by the skipping clock; `during` runs during its first
 * wait.
 */
async function runSnooze(
  contactId: string,
  during: (signal: () => Promise<void>) => Promise<unknown> = async () => undefined,
) {
  const workflowId = randomUUID();
  const looks: number[] = [];
  const activities = {
    endSnooze: async (input: { contactId: string }) => {
      const at = await now();
      const answer = await endContactSnooze(em(), input.contactId, new Date(at));
      looks.push(at);
      return answer;
    },
  };
  return environment.perform(workflowId, { activities }, async () => {
    const handle = await environment.client.workflow.signalWithStart('contactSnooze', {
      workflowId,
      taskQueue: environment.taskQueue,
      args: [{ contactId }],
      signal: 'snoozeMoved',
    });
    await eventually(
      async () => looks.length,
      (count) => count > 0,
    );
    await during(() => handle.signal('snoozeMoved'));
    const result: string = await handle.result();
    // The server's clock skips on once the workflow has ended.
    const isNewRun = (await handle.describe()).runId !== handle.signaledRunId;
    return { result, endedAt: looks.at(-1) ?? 0, looks: looks.length, isNewRun };
  });
}

describe('the snooze of a contact', () => {
  it('lasts until its end, with one check at the start and one at the end', async () => {
    const { contactId, until } = await snoozedFor(14 * dayMs);
    const { result, endedAt, looks } = await runSnooze(contactId);
    expect(result).toBe('resubscribed');
    expect(endedAt).toBeGreaterThanOrEqual(until);
    expect(endedAt).toBeLessThan(until + 60_000);
    expect(looks).toBeLessThanOrEqual(3);
    expect(await readState(contactId)).toEqual({ subscribed: true, snoozed_until: null });
  });

  it.each([
    ['sooner', 2],
    ['later', 400],
  ])('ends %s when its end was moved', async (_, days) => {
    const { contactId } = await snoozedFor(180 * dayMs);
    const until = (await now()) + days * dayMs;
    const { result, endedAt } = await runSnooze(contactId, async (signal) => {
      await moveEnd(contactId, until);
      await signal();
    });
    expect(result).toBe('resubscribed');
    expect(endedAt).toBeGreaterThanOrEqual(until);
    expect(endedAt).toBeLessThan(until + 60_000);
  });

  it('finds its later end even when the signal was lost', async () => {
    const { contactId, until } = await snoozedFor(30 * dayMs);
    const { result, endedAt } = await runSnooze(contactId, () => moveEnd(contactId, until + 30 * dayMs));
    expect(result).toBe('resubscribed');
    expect(endedAt).toBeGreaterThanOrEqual(until + 30 * dayMs);
  });

  it('does not resubscribe a contact that opted out meanwhile', async () => {
    const { contactId, until } = await snoozedFor(30 * dayMs);
    const { result, endedAt } = await runSnooze(contactId, () =>
      changeSubscription(em(), {
        projectId,
        contactId,
        emailId: newId(),
        change: { to: 'unsubscribed' },
        occurredAt: new Date(),
      }),
    );
    expect(result).toBe('ended');
    expect(endedAt).toBeGreaterThanOrEqual(until);
    expect(await readState(contactId)).toEqual({ subscribed: false, snoozed_until: null });
  });

  it('ends with its contact', async () => {
    const { contactId } = await snoozedFor(30 * dayMs);
    const { result } = await runSnooze(contactId, () =>
      sql(em(), 'delete from contacts where id = $1', [contactId]),
    );
    expect(result).toBe('ended');
  });

  it('continues in a new run when it was moved hundreds of times', async () => {
    const { contactId } = await snoozedFor(365 * dayMs);
    const until = (await now()) + 20 * dayMs;
    const { result, endedAt, isNewRun } = await runSnooze(contactId, async (signal) => {
      for (let i = 0; i < 24; i += 1) {
        await Promise.all(Array.from({ length: 25 }, signal));
        await delay(20);
      }
      await moveEnd(contactId, until);
      await signal();
    });
    expect(result).toBe('resubscribed');
    expect(isNewRun).toBe(true);
    expect(endedAt).toBeLessThan(until + 60_000);
  });
});
