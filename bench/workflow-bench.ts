import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { sql } from '../db/testing/sql.ts';
import { freePort } from '../local/testing/free-port.ts';
import type { BenchProcess } from './bench-process.ts';
import type { BenchStack } from './bench-stack.ts';
import { callApi } from './call-api.ts';
import { registerSender } from './ses-calls.ts';

const createdSchema = z.object({ id: z.string(), steps: z.array(z.object({ id: z.string() })) });
const idSchema = z.object({ id: z.string() });

export interface WorkflowBench {
  stack: BenchStack;
  temporal: { address: string; pid: number };
  api: BenchProcess;
  worker: BenchProcess;
  call: (method: string, path: string, body: object) => Promise<unknown>;
  track: (event: string, contact: number) => Promise<unknown>;
}

export async function startWorkflowBench(
  stack: BenchStack,
  temporal: { address: string; pid: number },
): Promise<WorkflowBench> {
  const ses = await stack.startSes(await freePort());
  await registerSender(ses.url, stack.project.domain);
  const environment = {
    TEMPORAL_ADDRESS: temporal.address,
    SES_ENDPOINT: ses.url,
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    EMAIL_RATE_PER_SECOND: '100000',
  };
  const api = await stack.startApi(environment);
  const worker = await stack.startWorker(environment);
  const url = `http://127.0.0.1:${api.port}`;
  const { publicKey, secretKey } = stack.project;
  return {
    stack,
    temporal,
    api,
    worker,
    call: (method, path, body) => callApi(`${url}${path}`, { method, key: secretKey, body }),
    track: (event, contact) =>
      callApi(`${url}/v1/track`, {
        key: publicKey,
        body: { event, email: `bench-${contact}@example.com`, data: { plan: 'pro' } },
      }),
  };
}

/** Creates an enabled workflow with these steps in a row. @returns its id */
export async function createWorkflow(
  { call }: Pick<WorkflowBench, 'call'>,
  eventName: string,
  steps: readonly { type: string; name?: string; config?: object }[],
  settings: { allowReentry?: boolean } = {},
): Promise<string> {
  const workflow = createdSchema.parse(
    await call('POST', '/workflows', { name: eventName, eventName, ...settings }),
  );
  let last = workflow.steps[0]?.id;
  for (const step of steps) {
    const added = await call('POST', `/workflows/${workflow.id}/steps`, { ...step, autoConnect: last });
    last = idSchema.parse(added).id;
  }
  await call('PATCH', `/workflows/${workflow.id}`, { enabled: true });
  return workflow.id;
}

export async function createTemplate({ call, stack }: WorkflowBench): Promise<string> {
  const template = await call('POST', '/templates', {
    name: 'Welcome',
    subject: 'Welcome {{ event.plan }}',
    body: '<p>Hello {{ email }}</p>'.repeat(20),
    from: `hello@${stack.project.domain}`,
    type: 'TRANSACTIONAL',
  });
  return idSchema.parse(template).id;
}

/**
 * Polls a statement until its `count` reaches the number.
 * @throws Error after `patienceMs`
 */
export async function untilCounted(
  stack: BenchStack,
  statement: string,
  count: number,
  { everyMs, patienceMs }: { everyMs: number; patienceMs: number },
): Promise<void> {
  const em = stack.orm.em.fork();
  for (
    const startedAt = performance.now();
    performance.now() - startedAt < patienceMs;
    await delay(everyMs)
  ) {
    const [row] = await sql<{ count: number }>(em, statement);
    if ((row?.count ?? 0) >= count) return;
  }
  throw new Error(`Timed out after ${patienceMs / 1000} s: ${count} of ${statement}`);
}
