import { describe, expect, it } from 'vitest';
import { createVerifiedPerson, mailedToken } from './setup/account-mail.ts';
import {
  callApi,
  createOwnProject,
  createTestPerson,
  type TestPerson,
  testPassword,
} from './setup/people.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { visitPage } from './setup/subscribers.ts';

const stack = useSharedProduct();

const ownersPassword = 'what the owner chooses';
const post = (path: string, body: unknown, headers?: Record<string, string>) =>
  callApi(stack.url, 'POST', path, body, headers);
const logIn = async (email: string, password: string) =>
  (await post('/auth/login', { email, password })).status;
const sessionStatus = async (person: TestPerson) => (await person.call('GET', '/users/@me')).status;
const tokenOf = (person: TestPerson) => mailedToken(stack, person.email, '/verify-email');
const isVerified = async ({ id }: TestPerson) =>
  (
    await stack.sql<{ verified: boolean }>('select email_verified as verified from users where id = $1', [id])
  )[0]?.verified;

describe('a stranger who signed up with the address of somebody else keeps nothing', () => {
  async function expectNothingKept(stranger: TestPerson) {
    expect(await logIn(stranger.email, testPassword)).toBe(401);
    expect(await sessionStatus(stranger)).toBe(401);
    expect(await isVerified(stranger)).toBe(true);
    const rows = await stack.sql(
      `select 1 from account_tokens where user_id = $1
       union all select 1 from oauth_identities where user_id = $1`,
      [stranger.id],
    );
    expect(rows).toEqual([]);
  }

  it('when its owner follows the verification link', async () => {
    const stranger = await createTestPerson(stack.url);
    await post('/auth/request-password-reset', { email: stranger.email });
    await mailedToken(stack, stranger.email, '/reset-password');
    const answer = await post('/auth/verify-email', { token: await tokenOf(stranger) });
    expect([answer.status, answer.body.message]).toEqual([200, expect.stringContaining('new password')]);
    await expectNothingKept(stranger);
  });

  it('when the owner chooses a password with that link', async () => {
    const stranger = await createTestPerson(stack.url);
    const token = await tokenOf(stranger);
    expect((await post('/auth/verify-email', { token, password: ownersPassword })).status).toBe(200);
    await expectNothingKept(stranger);
    expect(await logIn(stranger.email, ownersPassword)).toBe(200);
  });

  it('when the owner sends the link with a session of another account', async () => {
    const [stranger, owner] = [await createTestPerson(stack.url), await createTestPerson(stack.url)];
    const token = await tokenOf(stranger);
    expect((await owner.call('POST', '/auth/verify-email', { token })).status).toBe(200);
    await expectNothingKept(stranger);
  });

  it('when the link is sent with a session that was ended', async () => {
    const stranger = await createTestPerson(stack.url);
    const token = await tokenOf(stranger);
    await stranger.call('GET', '/auth/logout');
    expect((await stranger.call('POST', '/auth/verify-email', { token })).status).toBe(200);
    await expectNothingKept(stranger);
  });

  it('when the owner resets the password', async () => {
    const stranger = await createTestPerson(stack.url);
    await post('/auth/request-password-reset', { email: stranger.email });
    const token = await mailedToken(stack, stranger.email, '/reset-password');
    expect((await post('/auth/reset-password', { token, password: ownersPassword })).status).toBe(200);
    await expectNothingKept(stranger);
    expect(await logIn(stranger.email, ownersPassword)).toBe(200);
  });

  it('when the owner accepts an invitation, by its page or by signing up with it', async () => {
    const inviter = await createVerifiedPerson(stack);
    const { id } = await createOwnProject(inviter);
    const invite = async ({ email }: TestPerson) => {
      await inviter.call('POST', `/projects/${id}/members`, { email, role: 'MEMBER' });
      return mailedToken(stack, email, '/accept-invitation');
    };
    const strangers = [await createTestPerson(stack.url), await createTestPerson(stack.url)] as const;
    const form = { token: await invite(strangers[0]), password: ownersPassword };
    expect((await visitPage(`${stack.url}/accept-invitation`, form)).status).toBe(200);
    const { email } = strangers[1];
    const invitation = await invite(strangers[1]);
    const signedUp = await post('/auth/signup', { email, password: ownersPassword, invitation });
    expect([signedUp.status, signedUp.body.user?.emailVerified]).toEqual([201, true]);
    for (const stranger of strangers) {
      await expectNothingKept(stranger);
      expect(await logIn(stranger.email, ownersPassword)).toBe(200);
    }
    const { data } = (await inviter.call('GET', `/projects/${id}/members`)).body;
    expect(data.map((member: { userId: string }) => member.userId).toSorted()).toEqual(
      [inviter.id, strangers[0].id, strangers[1].id].toSorted(),
    );
  });

  it('with an invitation to a verified account: it is not replaced', async () => {
    const inviter = await createVerifiedPerson(stack);
    const { id } = await createOwnProject(inviter);
    const person = await createTestPerson(stack.url);
    await inviter.call('POST', `/projects/${id}/members`, { email: person.email, role: 'MEMBER' });
    const invitation = await mailedToken(stack, person.email, '/accept-invitation');
    await stack.sql('update users set email_verified = true where id = $1', [person.id]);
    const again = await post('/auth/signup', { email: person.email, password: ownersPassword, invitation });
    expect([again.status, again.body.error.code]).toEqual([409, 'CONFLICT']);
    expect(await logIn(person.email, testPassword)).toBe(200);
  });
});

describe('a newcomer keeps the password and the session', () => {
  async function expectKept(person: TestPerson) {
    expect(await isVerified(person)).toBe(true);
    expect(await logIn(person.email, testPassword)).toBe(200);
    expect(await sessionStatus(person)).toBe(200);
  }

  it('who confirms in the browser of the sign-up', async () => {
    const person = await createTestPerson(stack.url);
    expect((await person.call('POST', '/auth/verify-email', { token: await tokenOf(person) })).status).toBe(
      200,
    );
    await expectKept(person);
  });

  it('who confirms elsewhere with the password', async () => {
    const person = await createTestPerson(stack.url);
    const answer = await post('/auth/verify-email', {
      token: await tokenOf(person),
      password: testPassword,
    });
    expect(answer.status).toBe(200);
    await expectKept(person);
  });

  it('who confirms with the page of the link, in the same browser and elsewhere', async () => {
    const [here, elsewhere] = [await createTestPerson(stack.url), await createTestPerson(stack.url)];
    const page = `${stack.url}/verify-email`;
    const [tokenHere, tokenElsewhere] = [await tokenOf(here), await tokenOf(elsewhere)];
    const headers = { Cookie: here.cookie };
    expect((await visitPage(`${page}?token=${tokenHere}`, undefined, headers)).text).not.toContain(
      'type="password"',
    );
    expect((await visitPage(page, { token: tokenHere }, headers)).status).toBe(200);
    await expectKept(here);
    // A cookie of another account proves nothing.
    const asked = await visitPage(`${page}?token=${tokenElsewhere}`, undefined, headers);
    expect(asked.text).toContain('type="password"');
    expect(asked.text).toContain(elsewhere.email);
    const missing = await visitPage(page, { token: tokenElsewhere });
    expect([missing.status, missing.text.includes('role="alert"')]).toEqual([422, true]);
    expect(await isVerified(elsewhere)).toBe(false);
    const form = { token: tokenElsewhere, password: testPassword };
    expect((await visitPage(page, form)).status).toBe(200);
    await expectKept(elsewhere);
  });

  it('who verified the address in another way before following the link', async () => {
    const person = await createTestPerson(stack.url);
    const token = await tokenOf(person);
    await stack.sql('update users set email_verified = true where id = $1', [person.id]);
    expect((await post('/auth/verify-email', { token })).status).toBe(200);
    await expectKept(person);
  });
});
