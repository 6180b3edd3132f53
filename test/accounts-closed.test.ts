import { expect, it } from 'vitest';
import { deriveKey } from '../core/crypto/derive-key.ts';
import { createOneTimeToken, oneTimeTokenHash } from '../core/crypto/one-time-token.ts';
import { newId } from '../core/new-id.ts';
import { Invitation } from '../db/entities/project.ts';
import { callApi, testPassword } from './setup/people.ts';
import { useTestProduct } from './setup/product.ts';
import { createTestProject } from './setup/start-test-api.ts';

const stack = useTestProduct({ SIGNUP_ENABLED: 'false', AUTH_RATE_LIMIT_PER_MINUTE: '0' });

const post = (path: string, body: unknown) => callApi(stack.url, 'POST', path, body);

it('lets only invited people sign up while sign-up is off', async () => {
  const email = 'judy@example.com';
  const token = createOneTimeToken();
  const key = deriveKey(stack.environment.APP_SECRET ?? '', 'one-time-token');
  await stack.em().insert(Invitation, {
    id: newId(),
    projectId: (await createTestProject(stack.database)).id,
    email,
    role: 'ADMIN',
    tokenHash: oneTimeTokenHash(key, 'invitation', token),
    expiresAt: new Date(Date.now() + 60_000),
  });
  const signUp = (more: object) => post('/auth/signup', { email, password: testPassword, ...more });
  for (const refused of [await signUp({}), await signUp({ invitation: 'x' })]) {
    expect([refused.status, refused.body.error.code]).toEqual([403, 'FORBIDDEN']);
  }
  const late = await signUp({ invitation: 'x' });
  expect(late.body.error.suggestion).toContain('ask for a new one');
  expect((await signUp({})).body.error.suggestion).toBeUndefined();
  expect((await signUp({ invitation: token })).status).toBe(201);
});

it.each(['/auth/request-password-reset', '/auth/request-verification'])(
  'tells every caller of %s that no account emails are sent',
  async (path) => {
    const { status, body } = await post(path, { email: 'judy@example.com' });
    expect([status, body.error.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  },
);
