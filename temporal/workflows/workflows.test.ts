import { Context } from '@temporalio/activity';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../test/setup/eventually.ts';
import { eventTypesOf } from '../../test/setup/history-text.ts';
import { runWorkflow, useTimeSkipping } from '../../test/setup/time-skipping.ts';
import type { DispatchEmailsResult } from '../contracts/email-batch.ts';
import { erasureTaskQueue } from '../contracts/task-queues.ts';

const environment = useTimeSkipping();

const now = async () => environment.currentTimeMs();

describe('an email batch', () => {
  it('ends after one round when nothing is open', async () => {
    const rounds: string[][] = [];
    const { result } = await runWorkflow(
      environment,
      'emailBatch',
      { emailIds: ['a', 'b'], round: 0 },
      {
        dispatchEmails: async ({ emailIds }: { emailIds: string[] }): Promise<DispatchEmailsResult> => {
          rounds.push(emailIds);
          return { openIds: [], retryInMs: 0, sent: 1, ended: 1 };
        },
      },
    );
    expect(rounds).toEqual([['a', 'b']]);
    expect(result).toEqual({ sent: 1, ended: 1 });
  });

  it('returns for open emails when the round says so, until none is left', async () => {
    const looks: { ids: string[]; at: number }[] = [];
    const script: DispatchEmailsResult[] = [
      { openIds: ['b', 'c'], retryInMs: 120_000, sent: 1, ended: 0 },
      { openIds: ['c'], retryInMs: 3_600_000, sent: 1, ended: 0 },
      { openIds: [], retryInMs: 0, sent: 0, ended: 1 },
    ];
    const { result } = await runWorkflow(
      environment,
      'emailBatch',
      { emailIds: ['a', 'b', 'c'], round: 0 },
      {
        dispatchEmails: async ({ emailIds }: { emailIds: string[] }) => {
          looks.push({ ids: emailIds, at: await now() });
          return script[looks.length - 1];
        },
      },
    );
    expect(looks.map((look) => look.ids)).toEqual([['a', 'b', 'c'], ['b', 'c'], ['c']]);
    const waits = looks.slice(1).map((look, index) => look.at - (looks[index]?.at ?? 0));
    expect(waits[0]).toBeGreaterThanOrEqual(120_000);
    expect(waits[1]).toBeGreaterThanOrEqual(3_600_000);
    expect(result).toEqual({ sent: 2, ended: 1 });
  });

  it('ends within its first task when a local first try settles all emails', async () => {
    const { result, history } = await runWorkflow(
      environment,
      'emailBatch',
      { emailIds: ['a', 'b'], round: 0, triesLocally: true },
      {
        dispatchEmails: async (): Promise<DispatchEmailsResult> => {
          return { openIds: [], retryInMs: 0, sent: 2, ended: 0 };
        },
      },
    );
    expect(result).toEqual({ sent: 2, ended: 0 });
    expect(eventTypesOf(history)).toEqual([
      'WORKFLOW_EXECUTION_STARTED',
      'WORKFLOW_TASK_SCHEDULED',
      'WORKFLOW_TASK_STARTED',
      'WORKFLOW_TASK_COMPLETED',
      'MARKER_RECORDED',
      'WORKFLOW_EXECUTION_COMPLETED',
    ]);
  });

  it('leaves what a local try did not settle to the activity', async () => {
    const looks: { ids: string[]; isLocal: boolean }[] = [];
    const script: (() => DispatchEmailsResult)[] = [
      () => {
        throw new Error('no database');
      },
      () => ({ openIds: ['b'], retryInMs: 1_000, sent: 1, ended: 0 }),
      () => ({ openIds: [], retryInMs: 0, sent: 1, ended: 0 }),
    ];
    const { result } = await runWorkflow(
      environment,
      'emailBatch',
      { emailIds: ['a', 'b'], round: 0, triesLocally: true },
      {
        dispatchEmails: async ({ emailIds }: { emailIds: string[] }) => {
          looks.push({ ids: emailIds, isLocal: Context.current().info.isLocal });
          return script[looks.length - 1]?.();
        },
      },
    );
    expect(looks).toEqual([
      { ids: ['a', 'b'], isLocal: true },
      { ids: ['a', 'b'], isLocal: false },
      { ids: ['b'], isLocal: false },
    ]);
    expect(result).toEqual({ sent: 2, ended: 0 });
  });

  it('shows why its emails are still open', async () => {
    const seen = Promise.withResolvers<void>();
    let rounds = 0;
    const activities = {
      async dispatchEmails(): Promise<DispatchEmailsResult> {
        rounds += 1;
        if (rounds === 1) {
          return { openIds: ['a'], retryInMs: 1_000, reason: 'Throttled', sent: 0, ended: 0 };
        }
        await seen.promise;
        return { openIds: [], retryInMs: 0, sent: 1, ended: 0 };
      },
    };
    await runWorkflow(
      environment,
      'emailBatch',
      { emailIds: ['a'], round: 0 },
      activities,
      {},
      async (handle) => {
        const details = () => handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
        await eventually(details, ({ currentDetails }) => currentDetails.includes('Throttled')).finally(
          seen.resolve,
        );
      },
    );
  });

  it('outlasts a database outage of an hour', async () => {
    const startedAt = await now();
    let attempts = 0;
    const { result } = await runWorkflow(
      environment,
      'emailBatch',
      { emailIds: ['a'], round: 0 },
      {
        dispatchEmails: async () => {
          attempts += 1;
          if ((await now()) - startedAt < 3_600_000) throw new Error('no database');
          return { openIds: [], retryInMs: 0, sent: 1, ended: 0 };
        },
      },
    );
    expect(result).toEqual({ sent: 1, ended: 0 });
    expect(attempts).toBeGreaterThan(50);
  });

  it('continues in a new run when its history grows long, and loses no email', async () => {
    let rounds = 0;
    const { result, histories } = await runWorkflow(
      environment,
      'emailBatch',
      { emailIds: ['a'], round: 0 },
      {
        dispatchEmails: async ({ emailIds }: { emailIds: string[] }) => {
          expect(emailIds).toEqual(['a']);
          rounds += 1;
          return rounds < 480
            ? { openIds: ['a'], retryInMs: 60_000, sent: 0, ended: 0 }
            : { openIds: [], retryInMs: 0, sent: 1, ended: 0 };
        },
      },
    );
    expect(rounds).toBe(480);
    expect(histories).toHaveLength(2);
    expect(result).toEqual({ sent: 1, ended: 0 });
  });
});

describe('the verification of a domain', () => {
  it('checks every five minutes until the domain is verified, every four to eight hours after that, and ends with the domain', async () => {
    const looks: number[] = [];
    const outcomes = ['pending', 'pending', 'verified', 'verified', 'pending', 'gone'];
    await runWorkflow(
      environment,
      'domainVerification',
      { domainId: 'd' },
      {
        checkDomain: async () => {
          looks.push(await now());
          return outcomes[looks.length - 1];
        },
      },
    );
    const minutes = looks.slice(1).map((at, index) => Math.round((at - (looks[index] ?? 0)) / 60_000));
    const [first, second, third = 0, fourth = 0, last] = minutes;
    expect([first, second, last]).toEqual([5, 5, 5]);
    for (const verified of [third, fourth]) {
      expect(verified).toBeGreaterThanOrEqual(4 * 60);
      expect(verified).toBeLessThanOrEqual(8 * 60);
    }
  });

  it('continues in a new run every day', async () => {
    let looks = 0;
    const { histories } = await runWorkflow(
      environment,
      'domainVerification',
      { domainId: 'd' },
      {
        checkDomain: async () => {
          looks += 1;
          return looks < 300 ? 'pending' : 'gone';
        },
      },
    );
    expect(looks).toBe(300);
    expect(histories).toHaveLength(2);
  });
});

describe('an event deletion', () => {
  it('outlasts a ClickHouse outage of hours, makes a second pass after a while, and closes', async () => {
    const startedAt = await now();
    const steps: { step: string; hours: number }[] = [];
    const done = async (step: string) => {
      steps.push({ step, hours: Math.floor(((await now()) - startedAt) / 3_600_000) });
    };
    let attempts = 0;
    const { history } = await runWorkflow(
      environment,
      'eventDeletion',
      { deletionId: 'd' },
      {
        eraseEvents: async () => {
          attempts += 1;
          if ((await now()) - startedAt < 3 * 3_600_000) throw new Error('no ClickHouse');
          await done('erase');
          return false;
        },
        closeEventDeletion: () => done('close'),
      },
    );
    expect(steps.map(({ step }) => step)).toEqual(['erase', 'erase', 'close']);
    expect(steps[0]?.hours).toBe(3);
    // At least once a minute, and without a trace in the history.
    expect(attempts).toBeGreaterThan(3 * 60);
    expect(history.events?.length).toBeLessThan(40);
  });
});

describe('an erasure', () => {
  it.each([
    ['projectErasure', 'eraseProject', 'closeProjectErasure'],
    ['eventDeletion', 'eraseEvents', 'closeEventDeletion'],
  ])(
    'works in slices on its own task queue, in new runs if there are many: %s',
    async (type, erase, close) => {
      const inputs: unknown[] = [];
      let slices = 0;
      const { histories } = await runWorkflow(
        environment,
        type,
        { erasureId: 'e', deletionId: 'd' },
        {
          [erase]: async (input: unknown) => {
            inputs.push(input);
            slices += 1;
            return slices < 720;
          },
          [close]: async () => undefined,
        },
      );
      // The second pass needs one slice.
      expect(slices).toBe(721);
      expect(new Set(inputs.map((input) => JSON.stringify(input)))).toEqual(
        new Set([JSON.stringify({ erasureId: 'e', deletionId: 'd', sliceMs: 20_000 })]),
      );
      expect(histories.length).toBeGreaterThan(1);
      const queues = histories.flatMap(({ events }) =>
        (events ?? []).flatMap(({ activityTaskScheduledEventAttributes: activity }) =>
          activity?.activityType?.name === erase ? [activity.taskQueue?.name] : [],
        ),
      );
      expect(new Set(queues)).toEqual(new Set([erasureTaskQueue(environment.taskQueue)]));
    },
  );
});

describe('a sweep', () => {
  it('continues where a slice stopped, until it reaches the oldest', async () => {
    const slices: number[] = [];
    const activities = {
      endOrphanedExecutions: async ({ resumeBefore }: { resumeBefore: number }) => {
        slices.push(resumeBefore);
        return { running: 500, orphaned: 0, resumeBefore: slices.length < 3 ? 90 - slices.length : 0 };
      },
    };
    const swept = await runWorkflow(environment, 'sweep', { sweep: 'orphaned-executions' }, activities);
    expect(slices).toEqual([0, 89, 88]);
    expect(swept.result).toEqual({ running: 500, orphaned: 0, resumeBefore: 0 });
  });

  it('runs the sweep it is named after', async () => {
    const activities = {
      repairStrandedEmails: async () => ({ requeued: 2 }),
      foldContactFigures: async () => ({ folded: 5, typed: 1 }),
      endOverdueSnoozes: async () => ({ ended: 2 }),
      eraseContacts: async () => ({ contacts: 4, events: 9 }),
    };
    const stranded = await runWorkflow(environment, 'sweep', { sweep: 'stranded-emails' }, activities);
    expect(stranded.result).toEqual({ requeued: 2 });
    const figures = await runWorkflow(environment, 'sweep', { sweep: 'contact-figures' }, activities);
    expect(figures.result).toEqual({ folded: 5, typed: 1 });
    const snoozes = await runWorkflow(environment, 'sweep', { sweep: 'overdue-snoozes' }, activities);
    expect(snoozes.result).toEqual({ ended: 2 });
    const erasures = await runWorkflow(environment, 'sweep', { sweep: 'contact-erasures' }, activities);
    expect(erasures.result).toEqual({ contacts: 4, events: 9 });
  });

  it('runs each expiry as its own activity, and reports failed ones after all others', async () => {
    const tries: string[] = [];
    let isBroken = true;
    const activities = {
      listExpiries: async () => ['keys', 'contents', 'orphans'],
      expire: async ({ expiry }: { expiry: string }) => {
        tries.push(expiry);
        if (expiry === 'keys' && isBroken) throw new Error('no database');
        return { count: tries.length, isFinished: expiry !== 'contents' };
      },
    };
    const round = () => runWorkflow(environment, 'sweep', { sweep: 'expired' }, activities);
    await expect(round()).rejects.toMatchObject({ cause: { message: 'Failed: keys' } });
    expect(tries).toEqual([...Array(5).fill('keys'), 'contents', 'orphans']);
    isBroken = false;
    expect((await round()).result).toEqual({ keys: 8, contents: 9, orphans: 10, unfinished: 1 });
  });
});
