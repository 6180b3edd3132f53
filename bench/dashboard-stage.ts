import { z } from 'zod';
import { sql } from '../db/testing/sql.ts';
import type { BenchStack } from './bench-stack.ts';
import { callApi } from './call-api.ts';
import { all } from './conditions.ts';
import type { DashboardIds } from './dashboard-calls.ts';
import type { DashboardRecords, DashboardSize } from './dashboard-data.ts';

const account = { email: 'bench@example.com', password: 'a long pass phrase' };
const idSchema = z.object({ id: z.string() });
const workflowSchema = idSchema.extend({ steps: z.array(idSchema) });
const signedUpSchema = z.object({ user: idSchema });

/** Creates the records that statements then multiply. */
export async function createRecords({ project, startApi }: BenchStack): Promise<DashboardRecords> {
  const api = await startApi();
  const post = (path: string, body: object) =>
    callApi(`http://127.0.0.1:${api.port}${path}`, { key: project.secretKey, body });
  const template = idSchema.parse(
    await post('/templates', {
      name: 'Welcome',
      subject: 'Welcome',
      body: '<p>Welcome to the shop</p>',
      from: `news@${project.domain}`,
      type: 'TRANSACTIONAL',
    }),
  );
  const workflow = workflowSchema.parse(
    await post('/workflows', { name: 'Onboarding', eventName: 'app opened' }),
  );
  const stepIds = workflow.steps.map(({ id }) => id);
  while (stepIds.length < 10) {
    const config = { amount: 1, unit: 'days' };
    const step = { type: 'DELAY', config, autoConnect: stepIds.at(-1) };
    stepIds.push(idSchema.parse(await post(`/workflows/${workflow.id}/steps`, step)).id);
  }
  const condition = all({ field: 'data.plan', operator: 'equals', value: 'pro' });
  const dynamic = idSchema.parse(await post('/segments', { name: 'Pro', condition }));
  const fixed = idSchema.parse(await post('/segments', { name: 'Picked', type: 'STATIC' }));
  await api.stop();
  return {
    projectId: project.id,
    templateId: template.id,
    workflowId: workflow.id,
    stepIds,
    staticSegmentId: fixed.id,
    dynamicSegmentId: dynamic.id,
  };
}

export async function findIds(
  { orm }: BenchStack,
  records: DashboardRecords,
  size: Pick<DashboardSize, 'contacts' | 'executions'>,
  offset = 1000,
): Promise<DashboardIds> {
  const [found] = await sql<Omit<DashboardIds, keyof DashboardRecords | keyof DashboardSize>>(
    orm.em.fork(),
    `select c.id as "campaignId", x.id as "executionId", e.id as "emailId", e.contact_id as "contactId",
       e.to_email as address, e.subject
     from (select id from campaigns where project_id = $1 order by total_recipients desc, id desc limit 1) c,
       (select id from workflow_executions where workflow_id = $2 order by started_at offset $3 limit 1) x,
       (select * from emails where project_id = $1 and source = 'TRANSACTIONAL' order by id offset $3 limit 1) e`,
    [records.projectId, records.workflowId, offset],
  );
  if (found === undefined) throw new Error('Nothing was filled in');
  return { ...records, ...size, ...found };
}

/** @returns the session cookie of a member of the project */
export async function signUp(
  { orm, project }: BenchStack,
  url: string,
): Promise<{ name: string; value: string }> {
  const answer = await fetch(`${url}/auth/signup`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: url },
    body: JSON.stringify(account),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`Sign-up: ${answer.status} ${text}`);
  const { user } = signedUpSchema.parse(JSON.parse(text));
  await sql(orm.em.fork(), `insert into memberships (project_id, user_id, role) values ($1, $2, 'OWNER')`, [
    project.id,
    user.id,
  ]);
  const token = answer.headers.getSetCookie().find((each) => each.startsWith('token='));
  const value = token?.slice('token='.length).split(';')[0];
  if (value === undefined) throw new Error('Sign-up set no cookie');
  return { name: 'token', value };
}
