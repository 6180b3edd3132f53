import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { createVerifiedPerson } from '../setup/account-mail.ts';
import type { TestAnswer } from '../setup/answer.ts';
import { eventually } from '../setup/eventually.ts';
import { callApi, createOwnProject, createTestPerson, type TestPerson } from '../setup/people.ts';
import type { TestProduct } from '../setup/product.ts';
import { planIs } from '../setup/segments.ts';
import type { Stage } from './stage.ts';

export interface World {
  stack: TestProduct;
  notification: Stage['notification'];
  payment: Stage['payment'];
  owner: TestPerson;
  project: { id: string; name: string; publicKey: string; secretKey: string };
  from: string;
  call(method: string, path: string, body?: unknown): Promise<TestAnswer['body']>;
  /** Each creates a new record, or returns the same one in a still world. */
  contact(): Promise<string>;
  address(): Promise<string>;
  template(): Promise<string>;
  campaign(): Promise<string>;
  scheduledCampaign(): Promise<string>;
  segment(): Promise<string>;
  staticSegment(): Promise<string>;
  workflow(): Promise<string>;
  step(): Promise<{ id: string; stepId: string }>;
  transition(): Promise<{ id: string; transitionId: string }>;
  execution(): Promise<{ id: string; executionId: string }>;
  failedExecution(): Promise<{ id: string; executionId: string }>;
  domain(): Promise<string>;
  event(): Promise<{ name: string; contactId: string }>;
  importJob(): Promise<string>;
  bulkJob(): Promise<string>;
  email(): Promise<string>;
  inbound(): Promise<string>;
  member(): Promise<string>;
  invitation(): Promise<string>;
}

const patienceMs = 80_000;

export const condition = planIs('pro');

/** @param kind a still world always returns the same records, so that its database shows what others change */
export async function createWorld(
  { stack, notification, payment }: Stage,
  kind: 'fresh' | 'still',
): Promise<World> {
  const { url } = stack;
  const run = (text: string, parameters: unknown[]) => stack.sql<{ id: string }>(text, parameters);
  const owner = await createVerifiedPerson(stack);
  const project = await createOwnProject(owner, `Shop ${randomUUID().slice(0, 8)}`);
  const authorization = { Authorization: `Bearer ${project.secretKey}` };

  async function call(method: string, path: string, body?: unknown): Promise<TestAnswer['body']> {
    const answer = await callApi(url, method, path, body, authorization);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
  const idOf = async (path: string, body: unknown): Promise<string> => {
    const made = await call('POST', path, body);
    return made.id ?? made.data?.id ?? made.jobId;
  };
  const made = new Map<string, unknown>();
  function maker<Made>(name: string, make: () => Promise<Made>): () => Promise<Made> {
    if (kind === 'fresh') return make;
    return () => {
      const before = made.get(name) ?? make();
      made.set(name, before);
      // as: only results of this maker are stored under its name.
      return before as Promise<Made>;
    };
  }

  const isOver = ({ state }: { state: string }) => state === 'completed';
  /** In a still world, waits until pending work is done. */
  async function atRest<Answer>(ask: () => Promise<Answer>, holds: (answer: Answer) => boolean) {
    if (kind === 'still') await eventually(ask, holds, patienceMs);
  }

  const name = `${randomUUID()}.example`;
  const added = await call('POST', '/domains', { domain: name });
  await call('GET', `/domains/${added.id}/verify`);
  const from = `hello@${name}`;
  const content = { name: 'News', subject: 'News', body: '<p>Hello</p>', from };
  const address = () => `${randomUUID()}@example.com`;
  const draft = () => idOf('/campaigns', { ...content, audienceType: 'ALL' });
  const contact = maker('contact', () => idOf('/contacts', { email: address(), data: { plan: 'pro' } }));
  const workflow = () => idOf('/workflows', { name: 'Welcome', eventName: 'signed up' });

  const month = { type: 'DELAY', config: { amount: 30, unit: 'days' } };
  async function withStep(step: object = month): Promise<{ id: string; stepId: string; trigger: string }> {
    const id = await workflow();
    const [{ id: trigger }] = (await call('GET', `/workflows/${id}`)).steps;
    const stepId = await idOf(`/workflows/${id}/steps`, { ...step, autoConnect: trigger });
    return { id, stepId, trigger };
  }
  async function withExecution(step?: object) {
    const { id } = await withStep(step);
    const executionId = await idOf(`/workflows/${id}/executions`, { contactId: await contact() });
    const state = async () => (await call('GET', `/workflows/${id}/executions/${executionId}`)).status;
    return { id, executionId, state };
  }

  return {
    stack,
    notification,
    payment,
    owner,
    project,
    from,
    call,
    contact,
    address: async () => (await call('GET', `/contacts/${await contact()}`)).email,
    template: maker('template', () => idOf('/templates', content)),
    campaign: maker('campaign', draft),
    scheduledCampaign: maker('scheduled', async () => {
      const id = await draft();
      await call('POST', `/campaigns/${id}/send`, { scheduledFor: '2100-01-01T00:00:00Z' });
      return id;
    }),
    segment: maker('segment', () => idOf('/segments', { name: 'Pro', condition, trackMembership: true })),
    staticSegment: maker('static', () => idOf('/segments', { name: 'Chosen', type: 'STATIC' })),
    workflow: maker('workflow', workflow),
    step: maker('step', withStep),
    transition: maker('transition', async () => {
      const { id } = await withStep();
      const [{ id: transitionId }] = (await call('GET', `/workflows/${id}`)).transitions;
      return { id, transitionId };
    }),
    execution: maker('execution', async () => {
      const { state, ...ids } = await withExecution();
      await atRest(state, (status) => status === 'WAITING');
      return ids;
    }),
    failedExecution: maker('failed', async () => {
      const config = { url: 'http://localhost:1/' };
      const { state, ...ids } = await withExecution({ type: 'WEBHOOK', config });
      await eventually(state, (status) => status === 'FAILED', patienceMs);
      return ids;
    }),
    domain: maker('domain', async () => {
      const id = await idOf('/domains', { domain: `${randomUUID()}.example` });
      const list = async () => (await call('GET', `/domains/project/${project.id}`)).data;
      const isChecked = (all: { id: string; verified: boolean }[]) =>
        all.some((one) => one.id === id && one.verified);
      await atRest(list, isChecked);
      return id;
    }),
    event: maker('event', async () => {
      const event = `ordered ${randomUUID().slice(0, 8)}`;
      const { data } = await call('POST', '/events/track', {
        email: await addressOf(await contact()),
        event,
      });
      const lists = async () => (await call('GET', `/events?name=${encodeURIComponent(event)}`)).data.length;
      await eventually(lists, 1);
      return { name: event, contactId: data.contact };
    }),
    importJob: maker('import', async () => {
      const form = new FormData();
      form.append('file', new Blob([`email\n${address()}\n`], { type: 'text/csv' }), 'contacts.csv');
      const answer = await fetch(`${url}/contacts/import`, {
        method: 'POST',
        headers: authorization,
        body: form,
      });
      // as: another line tests the shape of this answer.
      const { jobId } = (await answer.json()) as { jobId: string };
      await atRest(() => call('GET', `/contacts/import/${jobId}`), isOver);
      return jobId;
    }),
    bulkJob: maker('bulk', async () => {
      const jobId = await idOf('/contacts/bulk-subscribe', { contactIds: [await contact()] });
      await atRest(() => call('GET', `/contacts/bulk/${jobId}`), isOver);
      return jobId;
    }),
    email: maker('email', async () => {
      const body = { to: address(), from, subject: 'Hello', body: '<p>Hello</p>' };
      const id = (await call('POST', '/v1/send', body)).data.emails[0].email;
      await atRest(
        () => call('GET', `/emails/${id}`),
        ({ sentAt }) => sentAt !== null,
      );
      return id;
    }),
    inbound: maker('inbound', async () => {
      const [made] = await run(
        `insert into inbound_emails (id, project_id, provider_id, status, recipients, verdicts, received_at)
         values (uuidv7(), $1, gen_random_uuid(), 'KEPT', $2,
           '{"spf":"PASS","dkim":"PASS","dmarc":"PASS","spam":"PASS","virus":"PASS"}', now())
         returning id`,
        [project.id, [from]],
      );
      return made?.id ?? '';
    }),
    member: maker('member', async () => {
      const person = await createTestPerson(url);
      await run(`insert into memberships (project_id, user_id, role) values ($1, $2, 'MEMBER')`, [
        project.id,
        person.id,
      ]);
      return person.id;
    }),
    invitation: maker('invitation', async () => {
      const members = `/projects/${project.id}/members`;
      return (await owner.call('POST', members, { email: address(), role: 'MEMBER' })).body.invitation.id;
    }),
  };

  async function addressOf(id: string): Promise<string> {
    return (await call('GET', `/contacts/${id}`)).email;
  }
}

/** The tables with rows of projects, except queued work and figures counted later. */
const listTables = ({ stack }: World) =>
  stack.sql<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where a.attname = 'project_id' and not a.attisdropped and c.relnamespace = 'public'::regnamespace
       and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname <> 'outbox' and c.relname !~ '_(changes|figures|days)$' order by 1`,
    [],
  );
let tablesOnce: ReturnType<typeof listTables> | undefined;

/** A hash of everything the database has of a project, but for the time of the last check of its domain. */
export async function fingerprint(world: World): Promise<string> {
  const { stack, project } = world;
  tablesOnce ??= listTables(world);
  const tables = await tablesOnce;
  const parts = tables.map(
    ({ name }) => `select '${name}' as name, count(*) as rows,
      md5(coalesce(string_agg(t.row, '|' order by t.row), '')) as sum
      from (select (to_jsonb(r) - 'checked_at')::text as row from ${name} r where project_id = $1) t`,
  );
  const rows = await stack.sql(`${parts.join(' union all ')} order by 1`, [project.id]);
  return JSON.stringify(rows);
}

/** The fingerprint of a project once its background work is done. */
export async function settledFingerprint(world: World): Promise<string> {
  let before = '';
  const look = async () => {
    const last = before;
    before = await fingerprint(world);
    await delay(100);
    return before === last;
  };
  await eventually(look, (isSettled) => isSettled, patienceMs);
  return before;
}
