import { readAnswer, type TestAnswer } from './answer.ts';
import { fileFixture, testFixture } from './fixtures.ts';
import { createTestPerson, type TestPerson } from './people.ts';

export interface TestSender {
  projectId: string;
  publicKey: string;
  secretKey: string;
  domain: string;
  get(path: string): Promise<TestAnswer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<TestAnswer>;
  put(path: string, body: unknown): Promise<TestAnswer>;
  patch(path: string, body: unknown): Promise<TestAnswer>;
  delete(path: string, body?: unknown): Promise<TestAnswer>;
}

async function call(
  address: string,
  method: string,
  headers: Record<string, string>,
  body: unknown,
): Promise<TestAnswer> {
  const answer = await fetch(address, {
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return readAnswer(answer);
}

let made = 0;
/** Owners by product. Reused, because a sign-up hashes a password, which is slow by design. */
const owners = new Map<string, TestPerson>();

async function createProject(apiUrl: string, domain: string, name: string): Promise<TestAnswer> {
  const createAs = (owner: TestPerson) => owner.call('POST', '/users/@me/projects', { name });
  const known = owners.get(apiUrl);
  const project = known === undefined ? undefined : await createAs(known);
  // Fails if the owner has as many projects as allowed, or belonged to a product that has ended and whose port this one
  // took.
  if (project?.status === 201) return project;
  const owner = await createTestPerson(apiUrl, `owner@${domain}`);
  owners.set(apiUrl, owner);
  return createAs(owner);
}

/** Creates a project with a verified domain. All senders of a product have one owner. */
export async function createTestSender(apiUrl: string): Promise<TestSender> {
  made += 1;
  const domain = `sender-${process.pid}-${made}.test`;
  const project = await createProject(apiUrl, domain, `Project ${made}`);
  const { id: projectId, publicKey, secretKey } = project.body;

  const request = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const key = path === '/v1/track' ? publicKey : secretKey;
    return call(`${apiUrl}${path}`, method, { Authorization: `Bearer ${key}`, ...headers }, body);
  };
  const added = await request('POST', '/domains', { domain });
  const checked = await request('GET', `/domains/${added.body.id}/verify`);
  if (checked.body.verified !== true)
    throw new Error(`The sender could not be set up: ${JSON.stringify(checked)}`);
  return {
    projectId,
    publicKey,
    secretKey,
    domain,
    get: (path) => request('GET', path),
    post: (path, body, headers) => request('POST', path, body, headers),
    put: (path, body) => request('PUT', path, body),
    patch: (path, body) => request('PATCH', path, body),
    delete: (path, body) => request('DELETE', path, body),
  };
}

interface Database {
  sql(query: string, parameters: unknown[]): Promise<unknown>;
}

/**
 * Replaces the sender's domain by another record with this status, which no workflow checks: the first check of the
 * real one may still be running, and would find it verified.
 */
export async function replaceDomain(
  database: Database,
  { projectId, domain }: TestSender,
  status: 'pending' | 'verified',
): Promise<void> {
  // In one statement: a check that finds neither domain removes the domain at the provider.
  await database.sql('update domains set id = uuidv7(), status = $3 where project_id = $1 and domain = $2', [
    projectId,
    domain,
    status,
  ]);
}

type Product = { readonly url: string };

/** A sender for each test. */
export const useSender = (product: Product): TestSender => testFixture(() => createTestSender(product.url));

/** One sender for all tests of the file. */
export const useOneSender = (product: Product): TestSender =>
  fileFixture(() => createTestSender(product.url));
