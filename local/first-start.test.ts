import { randomUUID } from 'node:crypto';
import { access, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sql } from '../db/testing/sql.ts';
import { type OwnProduct, startTestProduct } from '../test/setup/product.ts';
import { credentialsFile, readCredentials, type StackUrls, writeCredentials } from './credentials.ts';
import { type FirstStartOptions, prepareFirstStart } from './first-start.ts';

const urls: StackUrls = {
  dashboard: 'http://127.0.0.1:8080/app',
  api: 'http://127.0.0.1:8080',
  docs: 'http://127.0.0.1:8080/docs',
  temporalUi: 'http://127.0.0.1:8233',
  inbox: 'http://127.0.0.1:8025',
  inboundSmtp: 'smtp://127.0.0.1:2525',
};
let stack: OwnProduct;
let dataDirectory: string;

beforeAll(async () => {
  stack = await startTestProduct();
});
afterAll(() => stack.close());
const client = { devices: [], address: '127.0.0.1', userAgent: undefined };
beforeEach(async () => {
  dataDirectory = await mkdtemp(join(tmpdir(), 'posthaste-first-start-'));
});
afterEach(async () => {
  await rm(dataDirectory, { recursive: true });
  const em = stack.product.resources.orm.em.fork();
  await sql(em, 'delete from projects', []);
  await sql(em, 'delete from users', []);
});

function prepare(options: Partial<FirstStartOptions> = {}) {
  const { services, resources } = stack.product;
  const all = { dataDirectory, urls, withLocalSes: true, services, orm: resources.orm };
  return prepareFirstStart({ ...all, ...options });
}

it('creates an owner, a project with both keys and a verified domain', async () => {
  const { credentials, isNew } = await prepare();
  if (credentials === undefined) throw new Error('no credentials');
  expect(isNew).toBe(true);
  expect(credentials).toMatchObject({ email: 'owner@posthaste.test', domain: 'posthaste.test', urls });
  expect(await readCredentials(dataDirectory)).toEqual(credentials);
  expect(await readdir(dataDirectory)).toEqual(['credentials.json']);

  const { user } = await stack.product.services.accounts.logIn(credentials, client);
  expect(user.emailVerified).toBe(true);
  const [project] = await stack.product.services.projects.list(user.id);
  expect(project).toMatchObject({
    role: 'OWNER',
    project: { id: credentials.projectId },
    secretKey: credentials.secretKey,
  });
  const [domain] = await stack.product.services.domains.list(credentials.projectId);
  expect(domain).toMatchObject({ domain: 'posthaste.test', status: 'verified' });
});

it('updates the addresses afterwards, and keys that were rotated or are those of another database', async () => {
  const { credentials } = await prepare();
  if (credentials === undefined) throw new Error('no credentials');
  const moved = { ...urls, api: 'http://127.0.0.1:9090' };
  const { accounts, projects } = stack.product.services;
  const { user } = await accounts.logIn(credentials, client);
  const { publicKey, secretKey } = await projects.regenerateKeys(user.id, credentials.projectId);
  const rotated = { ...credentials, publicKey, secretKey: String(secretKey) };
  expect(rotated.secretKey).not.toBe(credentials.secretKey);
  for (const projectId of [credentials.projectId, randomUUID()]) {
    await writeCredentials(dataDirectory, { ...credentials, projectId });
    expect(await prepare({ urls: moved })).toEqual({
      credentials: { ...rotated, urls: moved },
      isNew: false,
    });
    expect(await readCredentials(dataDirectory)).toEqual({ ...rotated, urls: moved });
  }
});

it('gives another, empty database the same account, and the file its keys', async () => {
  const first = await prepare();
  const em = stack.product.resources.orm.em.fork();
  await sql(em, 'delete from projects', []);
  await sql(em, 'delete from users', []);
  const { credentials, isNew } = await prepare();
  if (credentials === undefined) throw new Error('no credentials');
  expect(isNew).toBe(true);
  expect(credentials).toMatchObject({
    email: first.credentials?.email,
    password: first.credentials?.password,
  });
  expect(credentials.projectId).not.toBe(first.credentials?.projectId);
  expect(await readCredentials(dataDirectory)).toEqual(credentials);
  const { user } = await stack.product.services.accounts.logIn(credentials, client);
  const [project] = await stack.product.services.projects.list(user.id);
  expect(project?.secretKey).toBe(credentials.secretKey);
});

it('is completed by the next start when it was interrupted after the account was created', async () => {
  const { projects, domains } = stack.product.services;
  const interrupted = {
    domains,
    projects: { ...projects, create: () => Promise.reject(new Error('killed')) },
  };
  await expect(prepare({ services: interrupted })).rejects.toThrow('killed');
  expect(await readCredentials(dataDirectory)).toBeUndefined();

  const { credentials, isNew } = await prepare();
  expect(isNew).toBe(true);
  if (credentials === undefined) throw new Error('no credentials');
  await stack.product.services.accounts.logIn(credentials, client);
});

describe('a database that has only users of others', () => {
  beforeEach(async () => {
    const { accounts } = stack.product.services;
    await accounts.signUp({ email: 'someone@posthaste.test', password: 'a long password' }, client);
  });

  it('is left alone', async () => {
    expect(await prepare()).toEqual({ credentials: undefined, isNew: false });
    await expect(access(credentialsFile(dataDirectory))).rejects.toThrow();
  });

  it('gets no account of another database, complete or interrupted', async () => {
    const { em } = stack;
    await sql(em(), 'delete from users');
    const { credentials } = await prepare();
    if (credentials === undefined) throw new Error('no credentials');
    await sql(em(), 'delete from projects');
    await sql(em(), `update users set email = 'someone@posthaste.test'`);
    expect(await prepare()).toEqual({ credentials: undefined, isNew: false });
    expect(await readCredentials(dataDirectory)).toEqual(credentials);
    const { email, password } = credentials;
    await writeFile(join(dataDirectory, 'first-start.json'), JSON.stringify({ email, password }));
    expect(await prepare()).toEqual({ credentials: undefined, isNew: false });
    expect(await sql(em(), 'select email from users')).toEqual([{ email: 'someone@posthaste.test' }]);
  });
});

it('verifies no domain with a real provider, but at the first start without it', async () => {
  const real = await prepare({ withLocalSes: false });
  expect(real.credentials?.domain).toBeNull();
  expect((await prepare({ withLocalSes: false })).credentials?.domain).toBeNull();
  const { credentials } = await prepare();
  expect(credentials).toEqual({ ...real.credentials, domain: 'posthaste.test' });
  const [domain] = await stack.product.services.domains.list(credentials?.projectId ?? '');
  expect(domain).toMatchObject({ domain: 'posthaste.test', status: 'verified' });
});

it('leaves the domain to another project that has verified it', async () => {
  const { credentials } = await prepare({ withLocalSes: false });
  if (credentials === undefined) throw new Error('no credentials');
  const { accounts, domains, projects } = stack.product.services;
  const { user } = await accounts.logIn(credentials, client);
  const { project } = await projects.create(user.id, 'Other');
  const { id } = await domains.add(project.id, 'posthaste.test');
  await domains.verify(project.id, id);
  expect(await prepare()).toEqual({ credentials, isNew: false });
});
