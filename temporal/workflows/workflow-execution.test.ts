import { randomUUID } from 'node:crypto';
import { ApplicationFailure } from '@temporalio/activity';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../test/setup/eventually.ts';
import { runWorkflow, useTimeSkipping } from '../../test/setup/time-skipping.ts';
import type { RunStepInput, StepAnswer } from '../contracts/workflow-execution.ts';
import { executionChangedSignal } from '../contracts/workflow-execution.ts';

const environment = useTimeSkipping();

const executionId = '0190a000-0000-7000-8000-00000000000a';
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const end = (status = 'COMPLETED'): StepAnswer => ({ follow: 'end', status });
const step = (visit: number, label = `step ${visit}`): StepAnswer => ({ follow: 'step', visit, label });

/** Runs the workflow with steps decided by a function of the visit and of the time since the start. */
async function walk(
  runStep: (visit: number, atMs: number, looks: number) => StepAnswer,
  others: object = {},
) {
  const startedAt = await environment.currentTimeMs();
  const looks: number[] = [];
  const { result, history, histories } = await runWorkflow(
    environment,
    'workflowExecution',
    { executionId },
    {
      runStep: async ({ visit }: RunStepInput) => {
        looks.push(visit);
        return runStep(visit, (await environment.currentTimeMs()) - startedAt, looks.length);
      },
      ...others,
    },
  );
  return { result, looks, ms: (await environment.currentTimeMs()) - startedAt, history, histories };
}

describe('an execution', () => {
  it('walks from step to step in one workflow task, and ends as the database says', async () => {
    const { result, looks, history } = await walk((visit) => (visit < 4 ? step(visit + 1) : end('EXITED')));
    expect(looks).toEqual([1, 2, 3, 4]);
    expect(result).toBe('EXITED');
    const tasks = history.events?.filter((event) => event.workflowTaskCompletedEventAttributes);
    expect(tasks).toHaveLength(1);
  });

  it('walks through ten nested conditions', async () => {
    const { looks } = await walk((visit) => (visit < 11 ? step(visit + 1, `CONDITION ${visit}`) : end()));
    expect(looks).toHaveLength(11);
  });

  it('drips for ninety days', async () => {
    const sentAt: number[] = [];
    const { ms } = await walk((visit, atMs, looks) => {
      if (visit > 180) return end();
      if (visit % 2 === 1) {
        sentAt.push(Math.round(atMs / dayMs));
        return step(visit + 1);
      }
      // Each delay is checked twice: when it begins and when it is over.
      return looks % 3 === 2 ? { follow: 'sleep', visit, label: 'DELAY', ms: dayMs } : step(visit + 1);
    });
    expect(sentAt).toEqual(Array.from({ length: 90 }, (_, day) => day));
    expect(ms).toBeGreaterThanOrEqual(90 * dayMs);
  });

  it('repeats a loop many times in new runs of bounded length', async () => {
    const slept = new Set<number>();
    const { result, looks, histories } = await walk((visit) => {
      if (visit > 150) return end();
      if (slept.has(visit)) return step(visit + 1);
      slept.add(visit);
      return { follow: 'sleep', visit, label: 'DELAY', ms: hourMs };
    });
    expect(result).toBe('COMPLETED');
    expect(slept.size).toBe(150);
    expect(looks.length).toBeLessThan(320);
    expect(histories.length).toBeGreaterThan(2);
    for (const { events } of histories) expect(events?.length).toBeLessThan(600);
  });

  it('waits for years with several timers', async () => {
    const { ms } = await walk((visit, atMs) =>
      atMs < 900 * dayMs ? { follow: 'wait', visit, label: 'WAIT', ms: 900 * dayMs - atMs } : end(),
    );
    expect(ms).toBeGreaterThanOrEqual(900 * dayMs);
  });

  it('outlasts a database outage of an hour', async () => {
    let tries = 0;
    const { result } = await walk((_visit, atMs) => {
      tries += 1;
      if (atMs < hourMs) throw new Error('no database');
      return end();
    });
    expect(result).toBe('COMPLETED');
    expect(tries).toBeGreaterThan(50);
  });
});

describe('a wait', () => {
  /** Starts the workflow and lets `meanwhile` signal it; a step ends once `isOver` returns true. */
  async function waitFor(
    ms: number | null,
    isOver: () => boolean,
    meanwhile: (signal: () => Promise<void>) => Promise<void>,
  ) {
    const workflowId = randomUUID();
    let looks = 0;
    const activities = {
      runStep: async ({ visit }: RunStepInput): Promise<StepAnswer> => {
        looks += 1;
        return isOver() ? end('EXITED') : { follow: 'wait', visit, label: 'WAIT', ms };
      },
    };
    const lastedMs = await environment.perform(workflowId, { activities }, async () => {
      const handle = await environment.client.workflow.start('workflowExecution', {
        workflowId,
        taskQueue: environment.taskQueue,
        args: [{ executionId }],
      });
      await meanwhile(() => handle.signal(executionChangedSignal));
      // Not the result: waiting for it lets the test clock jump.
      const closed = await eventually(
        () => handle.describe(),
        ({ status }) => status.name !== 'RUNNING',
      );
      expect(await handle.result()).toBe('EXITED');
      return (closed.closeTime?.getTime() ?? 0) - closed.startTime.getTime();
    });
    return { looks, lastedMs };
  }

  it('without a timeout ends only by the signal; late or early signals only trigger a check', async () => {
    let over = false;
    const { looks } = await waitFor(
      null,
      () => over,
      async (signal) => {
        await signal();
        await signal();
        await environment.sleep('3 days');
        over = true;
        await signal();
      },
    );
    expect(looks).toBeGreaterThanOrEqual(2);
    expect(looks).toBeLessThanOrEqual(4);
  });

  it('with a timeout ends by an earlier signal', async () => {
    let over = false;
    const { lastedMs } = await waitFor(
      300 * dayMs,
      () => over,
      async (signal) => {
        await environment.sleep('1 day');
        over = true;
        await signal();
      },
    );
    expect(lastedMs).toBeLessThan(2 * dayMs);
  });
});

describe('a call', () => {
  it('is attempted five times, and then the execution records why it failed', async () => {
    let calls = 0;
    const failures: object[] = [];
    const { result } = await walk(
      (visit, _at, looks) => (looks === 1 ? { follow: 'call', visit, label: 'WEBHOOK' } : end('FAILED')),
      {
        callWebhook: async () => {
          calls += 1;
          throw ApplicationFailure.retryable('The answer was 503', 'answered');
        },
        failStep: async (input: object) => {
          failures.push(input);
        },
      },
    );
    expect(calls).toBe(5);
    expect(failures).toEqual([{ executionId, visit: 1, reason: 'The answer was 503' }]);
    expect(result).toBe('FAILED');
  });

  it('is checked again when something else prevented it', async () => {
    let calls = 0;
    const { looks, result } = await walk(
      (visit) => (calls < 6 ? { follow: 'call', visit, label: 'WEBHOOK' } : end('EXITED')),
      {
        callWebhook: async () => {
          calls += 1;
          if (calls < 6) throw new Error('connect ECONNREFUSED');
        },
        failStep: async () => expect.unreachable(),
      },
    );
    expect([looks, result]).toEqual([[1, 1, 1], 'EXITED']);
  });

  it('that was not made for want of a turn is made later, with the attempts it has left', async () => {
    const calledAt: number[] = [];
    const reasons: string[] = [];
    const { looks } = await walk(
      (visit, _at, looks) => (looks < 5 ? { follow: 'call', visit, label: 'WEBHOOK' } : end('FAILED')),
      {
        callWebhook: async () => {
          calledAt.push(await environment.currentTimeMs());
          if (calledAt.length === 1) return { retryInMs: 5_000, failedAttempts: 2 };
          if (calledAt.length < 4) return { retryInMs: 5_000, failedAttempts: 0 };
          throw ApplicationFailure.retryable('The answer was 503', 'answered');
        },
        failStep: async ({ reason }: { reason: string }) => {
          reasons.push(reason);
        },
      },
    );
    const [first = 0, second = 0, third = 0, fourth = 0] = calledAt;
    expect(second - first).toBeGreaterThanOrEqual(5_000);
    expect(third - second).toBeGreaterThanOrEqual(10_000);
    expect(fourth - third).toBeGreaterThanOrEqual(20_000);
    expect(calledAt).toHaveLength(6);
    expect(looks).toEqual([1, 1, 1, 1, 1]);
    expect(reasons).toEqual(['The answer was 503']);
  });

  it('is checked after it was made', async () => {
    let calls = 0;
    const { looks } = await walk(
      (visit) =>
        visit === 1 && calls === 0
          ? { follow: 'call', visit, label: 'WEBHOOK' }
          : visit < 3
            ? step(visit + 1)
            : end(),
      {
        callWebhook: async () => {
          calls += 1;
        },
      },
    );
    expect(calls).toBe(1);
    expect(looks).toEqual([1, 1, 2, 3]);
  });
});
