import { describe, expect, it } from 'vitest';
import { runWorkflow, useTimeSkipping } from '../../test/setup/time-skipping.ts';
import type { ContactJobInput, ContactJobProgress } from '../contracts/contact-jobs.ts';

const environment = useTimeSkipping();

const now = async () => environment.currentTimeMs();
const active: ContactJobProgress = { ended: false, outcome: 'active', progress: 40, counts: { created: 2 } };
const completed: ContactJobProgress = {
  ended: true,
  outcome: 'completed',
  progress: 100,
  counts: { created: 5 },
};

describe.each([
  ['contactImport', 'importContacts'],
  ['contactBulk', 'changeContacts'],
])('the workflow %s', (type, activity) => {
  it('continues its job until it has ended', async () => {
    const inputs: ContactJobInput[] = [];
    const { result } = await runWorkflow(
      environment,
      type,
      { jobId: 'j' },
      {
        [activity]: async (input: ContactJobInput) => {
          inputs.push(input);
          return inputs.length < 4 ? active : completed;
        },
      },
    );
    expect(inputs).toEqual([{ jobId: 'j' }, { jobId: 'j' }, { jobId: 'j' }, { jobId: 'j' }]);
    expect(result).toEqual(completed);
  });

  it('outlasts a database outage of an hour', async () => {
    const startedAt = await now();
    let attempts = 0;
    const { result } = await runWorkflow(
      environment,
      type,
      { jobId: 'j' },
      {
        [activity]: async () => {
          attempts += 1;
          if ((await now()) - startedAt < 3_600_000) throw new Error('no database');
          return completed;
        },
      },
    );
    expect(result).toEqual(completed);
    expect(attempts).toBeGreaterThan(50);
  });

  it('ends with a failed or deleted job', async () => {
    for (const outcome of ['failed', 'gone'] as const) {
      const ended: ContactJobProgress = { ended: true, outcome, progress: 10, counts: {} };
      const { result } = await runWorkflow(
        environment,
        type,
        { jobId: 'j' },
        { [activity]: async () => ended },
      );
      expect(result).toEqual(ended);
    }
  });
});
