import { expect, it } from 'vitest';
import { loadConfig } from '../core/config/load.ts';
import { runDoctor } from '../doctor/run-doctor.ts';
import { sweepWorkflow } from '../temporal/contracts/sweeps.ts';
import { eventually } from './setup/eventually.ts';
import { useTestProduct } from './setup/product.ts';
import { useOneSender } from './setup/sender.ts';

const stack = useTestProduct({ CLICKHOUSE_URL: '' });
const sender = useOneSender(stack);

it('without ClickHouse, emails leave, a deleted contact is erased, and no stream lags', async () => {
  const sent = await sender.post('/v1/send', {
    to: 'ada@example.com',
    from: `hello@${sender.domain}`,
    subject: 'Hello',
    body: '<p>Hello</p>',
  });
  expect(sent.status).toBe(200);
  const { id } = sent.body.data.emails[0].contact;
  await eventually(
    () => stack.sql(`select from emails where contact_id = $1 and status <> 'QUEUED'`, [id]),
    (found) => found.length === 1,
  );
  expect((await sender.delete(`/contacts/${id}`)).status).toBe(204);
  await stack.product.resources.temporal.workflow.execute(sweepWorkflow, {
    taskQueue: stack.environment.TEMPORAL_TASK_QUEUE ?? '',
    workflowId: 'sweep/contact-erasures-now',
    args: [{ sweep: 'contact-erasures' }],
  });
  await eventually(
    () => stack.sql('select from contact_erasures where passed_at is not null'),
    (found) => found.length === 1,
  );
  const metrics = await (await fetch(`${stack.url}/metrics`)).text();
  expect(metrics).not.toMatch(/^posthaste_journal_stream_lag_seconds/m);
  const findings = await runDoctor(loadConfig(stack.environment), stack.environment);
  expect(findings.filter(({ area, level }) => area === 'Stream' || level === 'error')).toEqual([]);
});
