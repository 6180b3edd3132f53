import type { TestProduct } from './product.ts';

export interface TestAnswer {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  body: any;
}

/** A project of its own with a verified domain, and how to call the API with its keys. */
export interface TestSender {
  projectId: string;
  publicKey: string;
  secretKey: string;
  domain: string;
  get(path: string): Promise<TestAnswer>;
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<TestAnswer>;
  patch(path: string, body: unknown): Promise<TestAnswer>;
  delete(path: string): Promise<TestAnswer>;
}

let made = 0;

/** Signs up an owner and makes a project with a verified domain. */
export async function createTestSender(stack: TestProduct): Promise<TestSender> {
  made += 1;
  const domain = `sender-${made}.test`;
  const { services } = stack.product;
  const { user } = await services.accounts.signUp({ email: `owner@${domain}`, password: 'a long password' });
  const project = await services.projects.create(user.id, `Project ${made}`);
  const { id } = await services.domains.add(project.id, domain);
  const verified = await services.domains.verify(project.id, id);
  if (!verified.verified || project.secretKey === undefined)
    throw new Error('The sender could not be set up');
  const { publicKey, secretKey } = project;

  async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const key = path === '/v1/track' ? publicKey : secretKey;
    const answer = await fetch(`${stack.url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: answer.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
  }
  return {
    projectId: project.id,
    publicKey,
    secretKey,
    domain,
    get: (path) => call('GET', path),
    post: (path, body, headers) => call('POST', path, body, headers),
    patch: (path, body) => call('PATCH', path, body),
    delete: (path) => call('DELETE', path),
  };
}
