import { randomUUID } from 'node:crypto';
import { mailedToken } from '../../setup/account-mail.ts';
import { callApi, createTestPerson, sessionOf, testPassword } from '../../setup/people.ts';
import type { Call } from '../call.ts';
import { type ContractLine, type Refusal, under, withBody, withHeaders } from '../line.ts';
import type { World } from '../world.ts';
import { userFields } from './fields.ts';

const newAddress = () => `${randomUUID()}@example.com`;
const badToken = {
  when: 'the token is not one of ours',
  status: 400,
  code: 'BAD_REQUEST',
  change: withBody({ token: 'q3vVJm0k4mZJmYk0m7m2r1xq0k3mJ2yq3Zt7m8n9b0c' }),
};
const noAddress: Refusal = {
  when: 'the address is invalid',
  status: 422,
  change: withBody({ email: 'ada' }),
};
const shortPassword: Refusal = {
  when: 'the password is too short',
  status: 422,
  change: withBody({ password: 'short' }),
};
const fromElsewhere: Refusal = {
  when: 'another site sends the request',
  status: 403,
  code: 'FORBIDDEN',
  change: withHeaders({ Origin: 'https://evil.example' }),
};

export async function tokenFor({ stack }: World, request: string, page: string): Promise<string> {
  const person = await createTestPerson(stack.url);
  await callApi(stack.url, 'POST', request, { email: person.email });
  return mailedToken(stack, person.email, page);
}

export async function invitationFor({ stack, owner, project }: World): Promise<string> {
  const email = newAddress();
  await owner.call('POST', `/projects/${project.id}/members`, { email, role: 'MEMBER' });
  return mailedToken(stack, email, '/accept-invitation');
}

/** Signs in with the provider, up to the final call to our API. */
async function signInElsewhere({ stack }: World): Promise<Call> {
  const started = await callApi(stack.url, 'GET', '/auth/oauth/google');
  const there = await fetch(started.headers.get('location') ?? '', { redirect: 'manual' });
  const back = new URL(there.headers.get('location') ?? 'none:');
  const cookie = started.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return { params: { provider: 'google' }, query: back.search.slice(1), headers: { Cookie: cookie } };
}

const request = (line: ContractLine['line']): ContractLine => ({
  line,
  key: 'none',
  success: 200,
  answer: ['message'],
  valid: ({ owner }) => ({ body: { email: owner.email } }),
  required: ['email'],
  refusals: [noAddress, fromElsewhere],
});

export const accountLines: readonly ContractLine[] = [
  {
    line: 'POST /auth/signup',
    key: 'none',
    success: 201,
    answer: under('user', userFields),
    valid: () => ({ body: { email: `i/o+${newAddress()}`, password: testPassword, name: 'Ada' } }),
    required: ['email', 'password'],
    refusals: [
      noAddress,
      shortPassword,
      fromElsewhere,
      {
        when: 'the address has an account',
        status: 409,
        code: 'CONFLICT',
        change: (valid, { owner }) => withBody({ email: owner.email })(valid),
      },
      {
        ...badToken,
        when: 'the invitation is not one of ours',
        change: withBody({ invitation: 'whatever' }),
      },
    ],
  },
  {
    line: 'POST /auth/login',
    key: 'none',
    success: 200,
    answer: under('user', userFields),
    valid: ({ owner }) => ({ body: { email: owner.email, password: testPassword } }),
    required: ['email', 'password'],
    refusals: [
      noAddress,
      fromElsewhere,
      {
        when: 'the password is wrong',
        status: 401,
        code: 'UNAUTHENTICATED',
        change: withBody({ password: 'another pass phrase' }),
      },
      {
        when: 'no user has the address',
        status: 401,
        code: 'UNAUTHENTICATED',
        change: withBody({ email: newAddress() }),
      },
    ],
  },
  {
    line: 'POST /auth/invitation',
    key: 'none',
    success: 200,
    answer: ['email', 'projectName', 'hasAccount'],
    valid: async (world) => ({ body: { token: await invitationFor(world) } }),
    required: ['token'],
    refusals: [badToken, fromElsewhere],
  },
  {
    line: 'POST /auth/one-time',
    key: 'none',
    success: 200,
    answer: under('user', userFields),
    valid: async ({ stack }) => {
      const { id } = await createTestPerson(stack.url);
      return { body: { token: await stack.product.services.accountLinks.createSignIn(id) } };
    },
    required: ['token'],
    refusals: [badToken, fromElsewhere],
  },
  { line: 'GET /auth/logout', key: 'none', success: 204, valid: () => ({}) },
  {
    line: 'GET /auth/oauth-config',
    key: 'none',
    success: 200,
    answer: ['google', 'github'],
    valid: () => ({}),
  },
  {
    line: 'GET /auth/oauth/:provider',
    key: 'none',
    success: 302,
    names: ['provider'],
    valid: () => ({ params: { provider: 'google' } }),
    refusals: [
      {
        when: 'the provider does not exist',
        status: 422,
        change: () => ({ params: { provider: 'elsewhere' } }),
      },
      {
        when: 'the provider is not configured',
        status: 404,
        code: 'NOT_FOUND',
        change: () => ({ params: { provider: 'github' } }),
      },
    ],
  },
  {
    line: 'GET /auth/oauth/:provider/callback',
    key: 'none',
    success: 302,
    names: ['provider'],
    valid: signInElsewhere,
    refusals: [
      {
        when: 'it was not started in this browser',
        status: 400,
        code: 'BAD_REQUEST',
        change: (valid) => ({ ...valid, headers: {} }),
      },
    ],
  },
  {
    line: 'POST /auth/verification',
    key: 'none',
    success: 200,
    answer: ['email', 'needsPassword'],
    valid: async (world) => ({
      body: { token: await tokenFor(world, '/auth/request-verification', '/verify-email') },
    }),
    required: ['token'],
    refusals: [badToken, fromElsewhere],
  },
  {
    line: 'POST /auth/verify-email',
    key: 'none',
    success: 200,
    answer: ['message'],
    valid: async (world) => ({
      body: { token: await tokenFor(world, '/auth/request-verification', '/verify-email') },
    }),
    required: ['token'],
    refusals: [badToken, fromElsewhere],
  },
  request('POST /auth/request-verification'),
  request('POST /auth/request-password-reset'),
  {
    line: 'POST /auth/password-reset',
    key: 'none',
    success: 200,
    answer: ['email'],
    valid: async (world) => ({
      body: { token: await tokenFor(world, '/auth/request-password-reset', '/reset-password') },
    }),
    required: ['token'],
    refusals: [badToken, fromElsewhere],
  },
  {
    line: 'POST /auth/reset-password',
    key: 'none',
    success: 200,
    answer: ['message'],
    valid: async (world) => ({
      body: {
        token: await tokenFor(world, '/auth/request-password-reset', '/reset-password'),
        password: 'another pass phrase',
      },
    }),
    required: ['token', 'password'],
    refusals: [badToken, shortPassword, fromElsewhere],
  },
  {
    line: 'GET /auth/sessions',
    key: 'session',
    success: 200,
    answer: under('data.0', ['id', 'browser', 'system', 'createdAt', 'lastUsedAt', 'current']),
    valid: () => ({}),
  },
  {
    line: 'DELETE /auth/sessions/:id',
    key: 'session',
    success: 204,
    valid: async ({ stack, owner }) => {
      const body = { email: owner.email, password: testPassword };
      const cookie = sessionOf(await callApi(stack.url, 'POST', '/auth/login', body));
      const { data } = (await callApi(stack.url, 'GET', '/auth/sessions', undefined, { Cookie: cookie }))
        .body;
      return { params: { id: data.find(({ current }: { current: boolean }) => current).id } };
    },
  },
  { line: 'DELETE /auth/sessions', key: 'session', success: 204, valid: () => ({}) },
  { line: 'GET /users/@me', key: 'session', success: 200, answer: userFields, valid: () => ({}) },
];
