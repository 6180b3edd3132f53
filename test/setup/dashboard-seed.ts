import { expect } from 'vitest';
import { createVerifiedPerson } from './account-mail.ts';
import type { TestAnswer } from './answer.ts';
import { eventually } from './eventually.ts';
import { png } from './images.ts';
import { callApi, createOwnProject, type TestPerson } from './people.ts';
import type { TestProduct } from './product.ts';
import { planIs } from './segments.ts';
import { upload } from './upload.ts';

export interface SeededProject {
  owner: TestPerson;
  ids: Record<
    | 'project'
    | 'domain'
    | 'missingDomain'
    | 'contact'
    | 'segment'
    | 'list'
    | 'importJob'
    | 'template'
    | 'draft'
    | 'scheduled'
    | 'sent'
    | 'workflow'
    | 'step'
    | 'waiting'
    | 'ended'
    | 'email'
    | 'event',
    string
  >;
}

type Body = TestAnswer['body'];

const people = [
  ['ada@example.com', 'Ada', 'pro', 'United Kingdom'],
  ['grace@example.com', 'Grace', 'pro', 'United States'],
  ['linus@example.com', 'Linus', 'free', 'Finland'],
  ['margaret.hamilton.with.a.long.address@engineering.example.com', 'Margaret', 'pro', 'United States'],
  ['success+1@simulator.amazonses.com', 'Barbara', 'free', 'Sweden'],
  ['opened@simulator.amazonses.com', 'Frances', 'free', 'Germany'],
  ['clicked@simulator.amazonses.com', 'Donald', 'pro', 'Norway'],
  ['bounce@simulator.amazonses.com', 'Ken', 'free', 'Austria'],
  ['complaint@simulator.amazonses.com', 'Dennis', 'free', 'Brazil'],
] as const;

interface Seeder {
  stack: TestProduct;
  owner: TestPerson;
  project: { id: string; publicKey: string; secretKey: string };
  /** Turns a text into the one that is stored. */
  write: (text: string) => string;
  get(path: string): Promise<Body>;
  /** Repeats the request until the answer satisfies the condition. */
  find(path: string, satisfies: (body: Body) => boolean): Promise<Body>;
  post(path: string, body: unknown): Promise<Body>;
  patch(path: string, body: unknown): Promise<Body>;
  track(event: string, email: string, data: object): Promise<Body>;
}

/** A project with records of every kind. */
export async function seedProject(
  stack: TestProduct,
  write: (text: string) => string = (text) => text,
): Promise<SeededProject> {
  const owner = await createVerifiedPerson(stack);
  const seeder = createSeeder(stack, owner, await createOwnProject(owner, write('Northwind Coffee')), write);
  const { project, post, get, find } = seeder;
  const { name, ...domains } = await seedDomains(seeder);
  await owner.call('POST', `/projects/${project.id}/members`, { email: `new@${name}`, role: 'MEMBER' });
  const image = { field: 'image', name: 'cup.png', type: 'image/png', content: png };
  await upload(`${stack.url}/uploads/image`, project.secretKey, [image]);
  const audience = await seedAudience(seeder);
  const content = contentFrom(`hello@${name}`, write);
  const messages = await seedMessages(seeder, content, audience.segment);
  const automation = await seedWorkflow(seeder, messages.template);
  await post('/v1/send', {
    to: 'grace@example.com',
    from: content.from,
    subject: write('Your receipt'),
    body: content.body,
  });
  await find(
    `/campaigns/${messages.sent}/stats`,
    (body) => body.deliveredCount >= 8 && body.bouncedCount === 1,
  );
  await find('/suppressions', ({ data }) => data.length === 2);
  await find('/analytics/timeseries', ({ data }) => data.some((day: { sent: number }) => day.sent >= 10));
  await find(`/contacts/import/${audience.importJob}`, ({ state }) => state === 'completed');
  await find('/emails?search=grace', ({ data }) =>
    data.every(({ status }: { status: string }) => status === 'DELIVERED'),
  );
  const email = (await get('/emails?search=grace')).data[0].id;
  return {
    owner,
    ids: {
      project: project.id,
      ...domains,
      ...audience,
      ...messages,
      ...automation,
      email,
      event: write('order.placed'),
    },
  };
}

function createSeeder(
  stack: TestProduct,
  owner: TestPerson,
  project: Seeder['project'],
  write: Seeder['write'],
): Seeder {
  const call = async (method: string, path: string, body?: unknown, key = project.secretKey) => {
    const answer = await callApi(stack.url, method, path, body, { Authorization: `Bearer ${key}` });
    expect(answer.status, `${method} ${path} ${JSON.stringify(answer.body)}`).toBeLessThan(300);
    return answer.body;
  };
  const get = (path: string) => call('GET', path);
  return {
    stack,
    owner,
    project,
    write,
    get,
    find: (path, satisfies) => eventually(() => get(path), satisfies),
    post: (path, body) => call('POST', path, body),
    patch: (path, body) => call('PATCH', path, body),
    track: (event, email, data) => call('POST', '/v1/track', { event, email, data }, project.publicKey),
  };
}

/** A verified domain, and one whose records are missing. */
async function seedDomains({ stack, project, post, get }: Seeder) {
  const name = `mail-${project.id.slice(-8)}.test`;
  const domain = await post('/domains', { domain: name });
  await get(`/domains/${domain.id}/verify`);
  const missing = await post('/domains', { domain: `offers.${name}` });
  const identity = { method: 'PUT', body: JSON.stringify({ status: 'pending' }) };
  await fetch(`${stack.ses.url}/api/identities/offers.${name}`, identity);
  await get(`/domains/${missing.id}/verify`);
  return { name, domain: domain.id, missingDomain: missing.id };
}

async function seedAudience({ stack, project, write, post, track }: Seeder) {
  const contacts = await Promise.all(
    people.map(([email, firstName, plan, country], index) =>
      post('/contacts', {
        email,
        data: {
          firstName: write(firstName),
          plan,
          country: write(country),
          website: write('https://example.com'),
          orders: index * 3,
          address: { street: write('1 Long Street'), tags: [write('early'), 'vip'] },
        },
      }),
    ),
  );
  await post('/contacts', { email: 'gone@example.com', subscribed: false });
  await track(write('order.placed'), 'ada@example.com', { total: 49.9, note: write('To the back door') });
  await track('order.placed', 'linus@example.com', { total: 12 });
  const segment = await post('/segments', {
    name: write('Paying customers'),
    description: write('All who pay'),
    condition: planIs('pro'),
  });
  const list = await post('/segments', { name: write('Beta testers'), type: 'STATIC' });
  await post(`/segments/${list.id}/members`, { emails: ['ada@example.com', 'linus@example.com'] });
  const csv = `email,${write('city')}\nnew-1@example.com,Graz\n${write('none')},x\n`;
  const { body } = await upload(`${stack.url}/contacts/import`, project.secretKey, csv);
  return { contact: contacts[0].id, segment: segment.id, list: list.id, importJob: body.jobId };
}

const contentFrom = (from: string, write: Seeder['write']) => ({
  subject: write('Your {{ plan }} plan'),
  body: `<!doctype html><html><body style="font-family: sans-serif; padding: 24px"><h1>Hello {{ firstName }}</h1>
<p>${write('Fresh coffee')} <a href="https://shop.example/offer">Look</a></p>
<a href="{{ unsubscribeUrl }}">Unsubscribe</a></body></html>`,
  from,
  fromName: write('Northwind'),
});

async function seedMessages({ write, post }: Seeder, content: object, segmentId: string) {
  const template = await post('/templates', {
    ...content,
    name: write('Welcome'),
    description: write('Sent after the sign-up'),
  });
  await post('/templates', { ...content, name: write('Receipt'), type: 'TRANSACTIONAL' });
  const campaign = async (title: string, audience: object): Promise<string> =>
    (await post('/campaigns', { ...content, name: write(title), ...audience })).data.id;
  const draft = await campaign('Winter roast', { audienceType: 'SEGMENT', segmentId });
  const scheduled = await campaign('Spring sale', { audienceType: 'ALL' });
  await post(`/campaigns/${scheduled}/send`, { scheduledFor: new Date(Date.now() + 86_400_000) });
  const sent = await campaign('Autumn news', { audienceType: 'ALL' });
  await post(`/campaigns/${sent}/send`, {});
  return { template: template.id, draft, scheduled, sent };
}

/** A workflow with a waiting and a finished execution. */
async function seedWorkflow({ write, post, patch, track, find }: Seeder, templateId: string) {
  const workflow = await post('/workflows', {
    name: write('Onboarding'),
    description: write('The first week'),
    eventName: write('signed.up'),
  });
  const path = `/workflows/${workflow.id}`;
  const add = async (autoConnect: string, type: string, name: string, config: object, branch?: string) =>
    (await post(`${path}/steps`, { type, config, autoConnect, branch, name: write(name) })).id;
  const welcome = await add(workflow.steps[0].id, 'SEND_EMAIL', 'Say hello', { templateId });
  const fork = await add(welcome, 'CONDITION', 'Do they pay?', planIs('pro'));
  const pause = await add(fork, 'DELAY', 'Let them look around', { amount: 3, unit: 'days' }, 'yes');
  await add(pause, 'UPDATE_CONTACT', 'Mark as onboarded', { data: { onboarded: true } });
  await add(fork, 'EXIT', 'Leave', { reason: write('Not paying') }, 'no');
  await patch(path, { enabled: true });
  await track(write('signed.up'), 'ada@example.com', {});
  await track(write('signed.up'), 'linus@example.com', {});
  const statuses = ({ data }: Body): string[] => data.map(({ status }: { status: string }) => status);
  const { data } = await find(
    `${path}/executions`,
    (body) => statuses(body).sort().join() === 'EXITED,WAITING',
  );
  const executionWith = (wanted: string) =>
    data.find(({ status }: { status: string }) => status === wanted).id;
  return {
    workflow: workflow.id,
    step: welcome,
    waiting: executionWith('WAITING'),
    ended: executionWith('EXITED'),
  };
}
