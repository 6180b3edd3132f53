import { expect, it } from 'vitest';
import { holds, presentFindings } from './rehearse/findings.ts';
import { rehearse } from './rehearse/rehearse.ts';

it('several machines, killed in turn under load, lose nothing and send nothing twice', {
  timeout: 1_800_000,
}, async () => {
  const seed = Math.floor(Math.random() * 1_000_000_000);
  const lines = [`seed ${seed}`];
  const { findings, faultsInCampaign } = await rehearse({
    seed,
    seconds: 60,
    recipients: 1_000,
    executions: 60,
    faultEverySeconds: 3,
    emailsPerSecond: 2,
    eventsPerSecond: 3,
    importRows: 500,
    importEverySeconds: 15,
    say: (line) => lines.push(line),
  });
  const report = `${lines.join('\n')}\n${presentFindings(findings)}`;
  expect(findings.every(holds), report).toBe(true);
  // The first ones hit a worker, Postgres and an API process. On no machine does the campaign end before: a fault waits
  // for no process that an earlier one killed, no email leaves without Postgres, and the rate of sending is limited.
  expect(faultsInCampaign, report).toBeGreaterThanOrEqual(3);
});
