import { deriveKey } from '../../core/crypto/derive-key.ts';
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

/**
 * Creates a project with a verified domain. All senders of a product have one owner. For a known product, the domain is
 * inserted as a verified one: adding and checking it over the API takes longer than most tests, with seven calls to the
 * provider and a workflow that checks it from then on.
 */
export async function createTestSender(apiUrl: string): Promise<TestSender> {
  const sender = await createTestProject(apiUrl);
  const product = products.get(apiUrl);
  if (product === undefined) await addDomain(sender);
  else await insertDomain(product, sender);
  return sender;
}

/** As a client does. */
async function addDomain(sender: TestSender): Promise<void> {
  const added = await sender.post('/domains', { domain: sender.domain });
  const checked = await sender.get(`/domains/${added.body.id}/verify`);
  if (checked.body.verified !== true)
    throw new Error(`The sender could not be set up: ${JSON.stringify(checked)}`);
}

/** A project without a domain: `domain` is still to be added. */
async function createTestProject(apiUrl: string): Promise<TestSender> {
  made += 1;
  const domain = `sender-${process.pid}-${made}.test`;
  const project = await createProject(apiUrl, domain, `Project ${made}`);
  const { id: projectId, publicKey, secretKey } = project.body;

  const request = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) => {
    const key = path === '/v1/track' ? publicKey : secretKey;
    return call(`${apiUrl}${path}`, method, { Authorization: `Bearer ${key}`, ...headers }, body);
  };
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

/** What it takes to insert records of a product, instead of creating them over its API. */
interface Product extends Database {
  readonly url: string;
  readonly ses: { readonly url: string };
  readonly environment: Readonly<Record<string, string>>;
}

/** By the URL of the API. */
const products = new Map<string, Product>();

/** @returns a function for the end of the product, whose port another one may take */
export function knowProduct(product: Product): () => void {
  products.set(product.url, product);
  return () => products.delete(product.url);
}

async function insertDomain(product: Product, { projectId, domain }: TestSender): Promise<void> {
  const dkimTokens = await createIdentity(product, domain);
  await product.sql(
    `insert into domains (id, project_id, domain, status, dkim_tokens, checked_at, verified_at)
     values (uuidv7(), $1, $2, 'verified', $3, now(), now())`,
    [projectId, domain, dkimTokens],
  );
}

/** Creates an identity of the product at the local SES, which verifies it when it is read. @returns its DKIM tokens */
async function createIdentity({ ses, environment }: Product, domain: string): Promise<string[]> {
  const identities = `${ses.url}/v2/email/identities`;
  const installation = deriveKey(environment.APP_SECRET ?? '', 'identity-tag')
    .toString('hex')
    .slice(0, 16);
  const Tags = [{ Key: 'posthaste-installation', Value: installation }];
  await call(identities, 'POST', {}, { EmailIdentity: domain, Tags });
  const { status, body } = await call(`${identities}/${domain}`, 'GET', {}, undefined);
  if (status !== 200) throw new Error(`The local SES answered ${status}: ${JSON.stringify(body)}`);
  return body.DkimAttributes.Tokens;
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

/** A sender for each test. */
export const useSender = (product: { readonly url: string }): TestSender =>
  testFixture(() => createTestSender(product.url));

/** One sender for all tests of the file. */
export const useOneSender = (product: { readonly url: string }): TestSender =>
  fileFixture(() => createTestSender(product.url));
