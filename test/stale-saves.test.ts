import { describe, expect, it } from 'vitest';
import { callApi, createOwnProject, createTestPerson } from './setup/people.ts';
import { planIs } from './setup/segments.ts';
import { useOneSender } from './setup/sender.ts';
import { useSharedProduct } from './setup/shared-product.ts';

interface Record {
  method: 'PUT' | 'PATCH';
  path: string;
  headers: { [name: string]: string };
  read(): Promise<{ name: string; updatedAt: string }>;
  /** A request body that changes the name to `name`. */
  change(name: string): object;
}

const stack = useSharedProduct();
const sender = useOneSender(stack);

async function created(kind: string, body: object): Promise<Record> {
  const made = (await sender.post(`/${kind}`, body)).body;
  const path = `/${kind}/${made.id ?? made.data.id}`;
  const read = async () => {
    const { body: found } = await sender.get(path);
    return found.data?.name === undefined ? found : found.data;
  };
  const headers = { Authorization: `Bearer ${sender.secretKey}` };
  return { method: 'PATCH', path, headers, read, change: (name) => ({ name }) };
}

const content = () => ({ name: 'A', subject: 'News', body: '<p>News</p>', from: `news@${sender.domain}` });

interface Step {
  id: string;
  type: string;
  name: string;
  config: { eventName?: string };
  updatedAt: string;
}

async function stepOf(
  type: string,
  change: Record['change'],
  nameOf: (step: Step) => string,
): Promise<Record> {
  const workflow = await created('workflows', { name: 'A', eventName: 'signed up' });
  await sender.post(`${workflow.path}/steps`, { type: 'DELAY', config: { amount: 1, unit: 'days' } });
  const read = async (): Promise<Step> =>
    (await sender.get(workflow.path)).body.steps.find((step: Step) => step.type === type);
  return {
    ...workflow,
    path: `${workflow.path}/steps/${(await read()).id}`,
    change,
    read: async () => {
      const step = await read();
      return { name: nameOf(step), updatedAt: step.updatedAt };
    },
  };
}

const makers: { [kind: string]: () => Promise<Record> } = {
  campaign: async () => {
    const body = { ...content(), audienceType: 'ALL' };
    return { ...(await created('campaigns', body)), method: 'PUT', change: (name) => ({ ...body, name }) };
  },
  template: () => created('templates', content()),
  segment: () => created('segments', { name: 'A', condition: planIs('pro') }),
  workflow: () => created('workflows', { name: 'A', eventName: 'signed up' }),
  'workflow step': () =>
    stepOf(
      'DELAY',
      (name) => ({ name }),
      ({ name }) => name,
    ),
  trigger: () =>
    stepOf(
      'TRIGGER',
      (eventName) => ({ config: { eventName } }),
      ({ config }) => config.eventName ?? '',
    ),
  contact: async () => {
    const record = await created('contacts', { email: 'ada@example.com', data: { name: 'A' } });
    const read = async () => {
      const { data, updatedAt } = (await sender.get(record.path)).body;
      return { name: data.name, updatedAt };
    };
    return { ...record, read, change: (name) => ({ data: { name } }) };
  },
  project: async () => {
    const person = await createTestPerson(stack.url);
    const { id } = await createOwnProject(person, 'A');
    const read = async () => {
      const { body } = await person.call('GET', '/users/@me/projects');
      return body.data.find((one: { id: string }) => one.id === id);
    };
    const headers = { Cookie: person.cookie, Origin: new URL(stack.url).origin };
    return {
      method: 'PATCH',
      path: `/users/@me/projects/${id}`,
      headers,
      read,
      change: (name) => ({ name }),
    };
  },
};

describe.each(Object.keys(makers))('a stale save of a %s', (kind) => {
  it('is refused and changes nothing; a save without If-Match succeeds', async () => {
    const record = await makers[kind]?.();
    if (record === undefined) throw new Error('unreachable');
    const save = (name: string, ifMatch?: string) =>
      callApi(stack.url, record.method, record.path, record.change(name), {
        ...record.headers,
        ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
      });
    const { updatedAt: first } = await record.read();
    expect((await save('B', `"${first}"`)).status).toBe(200);
    const now = await record.read();
    expect([now.name, now.updatedAt > first]).toEqual(['B', true]);

    const refused = await save('C', `"${first}"`);
    expect([refused.status, refused.body.error.code]).toEqual([409, 'CONFLICT']);
    expect(refused.body.error.details).toEqual({ updatedAt: now.updatedAt });
    expect(await record.read()).toEqual(now);

    const both = await Promise.all(['D', 'E'].map((name) => save(name, now.updatedAt)));
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect((await save('F')).status).toBe(200);
    expect((await record.read()).name).toBe('F');
    expect((await save('G', 'yesterday')).status).toBe(422);
  });
});

it('a campaign is not sent in a version that the sender has not seen', async () => {
  const record = await makers.campaign?.();
  if (record === undefined) throw new Error('unreachable');
  const { updatedAt: seen } = await record.read();
  await callApi(stack.url, 'PUT', record.path, record.change('B'), record.headers);
  const send = (ifMatch: string) =>
    callApi(stack.url, 'POST', `${record.path}/send`, {}, { ...record.headers, 'If-Match': ifMatch });
  const now = await record.read();
  const refused = await send(`"${seen}"`);
  expect([refused.status, refused.body.error.details]).toEqual([409, { updatedAt: now.updatedAt }]);
  expect(await record.read()).toMatchObject({ status: 'DRAFT', updatedAt: now.updatedAt });
  expect((await send(now.updatedAt)).body.data.status).toBe('SENDING');
});
