import { readAnswer, type TestAnswer } from './answer.ts';

export interface TestPerson {
  id: string;
  email: string;
  cookie: string;
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<TestAnswer>;
}

export const testPassword = 'a long pass phrase';
let made = 0;

export async function callApi(
  apiUrl: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<TestAnswer> {
  const answer = await fetch(`${apiUrl}${path}`, {
    method,
    redirect: 'manual',
    headers: { ...(body !== undefined && { 'Content-Type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return readAnswer(answer);
}

/** The value of a `Cookie` header with the session of an answer; empty without one. */
export function sessionOf(answer: TestAnswer): string {
  const cookies = answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0] ?? '');
  return cookies.find((cookie) => cookie.startsWith('token=')) ?? '';
}

export function personOf(apiUrl: string, user: { id: string; email: string }, cookie: string): TestPerson {
  return {
    ...user,
    cookie,
    call: (method, path, body, headers) =>
      callApi(apiUrl, method, path, body, { Cookie: cookie, Origin: new URL(apiUrl).origin, ...headers }),
  };
}

export async function createTestPerson(apiUrl: string, address?: string): Promise<TestPerson> {
  made += 1;
  const email = address ?? `person-${process.pid}-${made}@example.com`;
  const answer = await callApi(apiUrl, 'POST', '/auth/signup', { email, password: testPassword });
  if (answer.status !== 201) throw new Error(`The sign-up failed: ${JSON.stringify(answer.body)}`);
  return personOf(apiUrl, answer.body.user, sessionOf(answer));
}

export async function createOwnProject(
  owner: TestPerson,
  name = 'Shop',
): Promise<{ id: string; name: string; publicKey: string; secretKey: string }> {
  return (await owner.call('POST', '/users/@me/projects', { name })).body;
}
