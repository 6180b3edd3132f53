import { describe, expect, it } from 'vitest';
import { newId } from '../core/new-id.ts';
import { sql } from '../db/testing/sql.ts';
import { accountMessages, createVerifiedPerson, mailedToken } from './setup/account-mail.ts';
import { eventually } from './setup/eventually.ts';
import {
  callApi,
  createOwnProject,
  createTestPerson,
  personOf,
  sessionOf,
  testPassword,
} from './setup/people.ts';
import { useSharedProduct } from './setup/shared-product.ts';
import { untilBlocking, untilWaiting } from './setup/until-blocking.ts';
import { hourMs, withinOne } from './setup/within-one.ts';

const stack = useSharedProduct();

const run = (text: string, parameters: unknown[] = []) =>
  stack.sql<Record<string, unknown>>(text, parameters);

const verifiedPerson = () => createVerifiedPerson(stack);

/** A project with one person per role, and a stranger. */
async function createTeam() {
  const [owner, admin, member, stranger] = await Promise.all([
    verifiedPerson(),
    verifiedPerson(),
    verifiedPerson(),
    verifiedPerson(),
  ]);
  const project = await createOwnProject(owner);
  const path = `/projects/${project.id}/members`;
  for (const [person, role] of [
    [admin, 'ADMIN'],
    [member, 'MEMBER'],
  ] as const) {
    const answer = await owner.call('POST', path, { email: person.email, role });
    expect([answer.status, answer.body]).toEqual([
      201,
      {
        member: { userId: person.id, email: person.email, name: null, role, createdAt: expect.any(String) },
        invitation: null,
      },
    ]);
  }
  return { owner, admin, member, stranger, project, path };
}

describe('members', () => {
  it('are listed with their roles, oldest first', async () => {
    const { owner, admin, member, path } = await createTeam();
    const { status, body } = await admin.call('GET', path);
    expect(status).toBe(200);
    expect(body.data.map((each: { userId: string; role: string }) => [each.userId, each.role])).toEqual([
      [owner.id, 'OWNER'],
      [admin.id, 'ADMIN'],
      [member.id, 'MEMBER'],
    ]);
    expect(body.invitations).toEqual([]);
  });

  it('can work in the project with the cookie as soon as they are added, and no longer once removed', async () => {
    const { owner, member, project, path } = await createTeam();
    const read = () => member.call('GET', '/contacts', undefined, { 'X-Project-Id': project.id });
    expect((await read()).status).toBe(200);
    expect((await owner.call('DELETE', `${path}/${member.id}`)).status).toBe(204);
    expect((await read()).status).toBe(404);
    expect((await member.call('GET', '/users/@me/projects')).body.data).toEqual([]);
  });

  it("can't be added twice", async () => {
    const { owner, member, path } = await createTeam();
    const { status, body } = await owner.call('POST', path, { email: member.email, role: 'ADMIN' });
    expect([status, body.error.code]).toEqual([409, 'CONFLICT']);
  });
});

describe('a MEMBER', () => {
  it('may leave', async () => {
    const { member, path } = await createTeam();
    expect((await member.call('DELETE', `${path}/${member.id}`)).status).toBe(204);
  });
});

describe('an ADMIN', () => {
  it('grants and revokes every role but that of an owner', async () => {
    const { owner, admin, member, path } = await createTeam();
    expect((await admin.call('PATCH', `${path}/${member.id}`, { role: 'ADMIN' })).body.role).toBe('ADMIN');
    const refused = await Promise.all([
      admin.call('PATCH', `${path}/${member.id}`, { role: 'OWNER' }),
      admin.call('PATCH', `${path}/${admin.id}`, { role: 'OWNER' }),
      admin.call('PATCH', `${path}/${owner.id}`, { role: 'MEMBER' }),
      admin.call('DELETE', `${path}/${owner.id}`),
      admin.call('POST', path, { email: 'x@example.com', role: 'OWNER' }),
    ]);
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403));
    expect((await admin.call('DELETE', `${path}/${member.id}`)).status).toBe(204);
  });

  it('replaces every invitation but that of an owner', async () => {
    const { owner, admin, path } = await createTeam();
    const invite = (person: typeof owner, email: string, role: string) =>
      person.call('POST', path, { email, role });
    const first = await invite(owner, 'co-owner@example.com', 'OWNER');
    const token = await mailedToken(stack, 'co-owner@example.com', '/accept-invitation');
    const refused = await invite(admin, 'co-owner@example.com', 'MEMBER');
    expect([refused.status, refused.body.error.code]).toEqual([403, 'FORBIDDEN']);
    expect((await owner.call('GET', path)).body.invitations).toEqual([first.body.invitation]);
    await callApi(stack.url, 'POST', '/auth/signup', {
      email: 'co-owner@example.com',
      password: testPassword,
      invitation: token,
    });
    const { data } = (await owner.call('GET', path)).body;
    expect(data.at(-1)).toMatchObject({ email: 'co-owner@example.com', role: 'OWNER' });
    await invite(owner, 'colleague@example.com', 'MEMBER');
    expect((await invite(admin, 'colleague@example.com', 'ADMIN')).status).toBe(201);
    await invite(owner, 'late@example.com', 'OWNER');
    await run(`update invitations set expires_at = now() where email = 'late@example.com'`);
    expect((await invite(admin, 'late@example.com', 'MEMBER')).status).toBe(201);
  });
});

describe('a stranger', () => {
  it('gets 404 for the project', async () => {
    const { owner, stranger, path } = await createTeam();
    const answers = await Promise.all([
      stranger.call('GET', path),
      stranger.call('POST', path, { email: stranger.email, role: 'OWNER' }),
      stranger.call('PATCH', `${path}/${owner.id}`, { role: 'MEMBER' }),
      stranger.call('DELETE', `${path}/${owner.id}`),
      stranger.call('DELETE', `${path}/${stranger.id}`),
      owner.call('PATCH', `${path}/${stranger.id}`, { role: 'MEMBER' }),
      owner.call('DELETE', `${path}/${newId()}`),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
  });
});

describe('the last owner', () => {
  it('can neither leave nor step down', async () => {
    const { owner, path } = await createTeam();
    for (const answer of [
      await owner.call('DELETE', `${path}/${owner.id}`),
      await owner.call('PATCH', `${path}/${owner.id}`, { role: 'ADMIN' }),
    ]) {
      expect([answer.status, answer.body.error.code]).toEqual([409, 'CONFLICT']);
    }
    expect((await owner.call('PATCH', `${path}/${owner.id}`, { role: 'OWNER' })).status).toBe(200);
  });

  it('remains when all owners leave, step down and remove each other at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const { owner, admin, member, project, path } = await createTeam();
      await owner.call('PATCH', `${path}/${admin.id}`, { role: 'OWNER' });
      await owner.call('PATCH', `${path}/${member.id}`, { role: 'OWNER' });
      const answers = await Promise.all([
        owner.call('DELETE', `${path}/${owner.id}`),
        admin.call('PATCH', `${path}/${admin.id}`, { role: 'MEMBER' }),
        member.call('DELETE', `${path}/${owner.id}`),
        member.call('PATCH', `${path}/${member.id}`, { role: 'ADMIN' }),
        admin.call('DELETE', `${path}/${member.id}`),
      ]);
      const [row] = await run(
        `select count(*)::int as owners from memberships where project_id = $1 and role = 'OWNER'`,
        [project.id],
      );
      expect(Number(row?.owners), JSON.stringify(answers.map(({ status }) => status))).toBeGreaterThanOrEqual(
        1,
      );
      expect(answers.filter(({ status }) => status >= 500)).toEqual([]);
    }
  });
});

describe('an invitation', () => {
  it('to an unknown address arrives there, and signs up its owner', async () => {
    const { owner, project, path } = await createTeam();
    const email = 'grace@example.com';
    const invited = await owner.call('POST', path, { email: ' Grace@Example.com', role: 'ADMIN' });
    expect(invited).toMatchObject({
      status: 201,
      body: { member: null, invitation: { id: expect.any(String), email, role: 'ADMIN' } },
    });
    const days = (Date.parse(invited.body.invitation.expiresAt) - Date.now()) / 86_400_000;
    expect(days).toBeGreaterThan(6.9);
    expect(days).toBeLessThanOrEqual(7.1);
    expect((await owner.call('GET', path)).body.invitations).toEqual([invited.body.invitation]);
    const token = await mailedToken(stack, email, '/accept-invitation');
    const [message] = await accountMessages(stack, email);
    expect([message?.subject, message?.link.origin]).toEqual([
      'Invitation to Shop',
      new URL(stack.url).origin,
    ]);
    const answer = await callApi(stack.url, 'POST', '/auth/signup', {
      email,
      password: testPassword,
      invitation: token,
    });
    expect([answer.status, answer.body.user.emailVerified]).toEqual([201, true]);
    const grace = personOf(stack.url, answer.body.user, sessionOf(answer));
    expect((await grace.call('GET', '/users/@me/projects')).body.data).toMatchObject([
      { id: project.id, role: 'ADMIN' },
    ]);
    expect((await owner.call('GET', path)).body.invitations).toEqual([]);
  });

  it("is useless to someone with the link but without the address, and can't be guessed", async () => {
    const { owner, path } = await createTeam();
    await owner.call('POST', path, { email: 'heidi@example.com', role: 'MEMBER' });
    const token = await mailedToken(stack, 'heidi@example.com', '/accept-invitation');
    for (const invitation of [token, 'x']) {
      const { status, body } = await callApi(stack.url, 'POST', '/auth/signup', {
        email: 'mallory@example.com',
        password: testPassword,
        invitation,
      });
      expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST']);
    }
  });

  it('to a user with an unverified address waits until it is verified', async () => {
    const { owner, project, path } = await createTeam();
    const person = await createTestPerson(stack.url);
    const { body } = await owner.call('POST', path, { email: person.email, role: 'MEMBER' });
    expect(body).toMatchObject({ member: null, invitation: { email: person.email } });
    expect((await person.call('GET', '/users/@me/projects')).body.data).toEqual([]);
    const token = await mailedToken(stack, person.email, '/verify-email');
    await person.call('POST', '/auth/verify-email', { token });
    expect((await person.call('GET', '/users/@me/projects')).body.data).toMatchObject([
      { id: project.id, role: 'MEMBER' },
    ]);
  });

  it('to a user who verifies the address at that moment is accepted', async () => {
    const { owner, project, path } = await createTeam();
    const person = await createTestPerson(stack.url);
    const token = await mailedToken(stack, person.email, '/verify-email');
    let inviting: ReturnType<typeof owner.call> | undefined;
    let verifying: ReturnType<typeof person.call> | undefined;
    await stack.em().transactional(async (em) => {
      // Stops the invitation between its look at the user and its end.
      await sql(em, 'lock table invitation_hours in exclusive mode');
      inviting = owner.call('POST', path, { email: person.email, role: 'MEMBER' });
      await untilBlocking(em);
      verifying = person.call('POST', '/auth/verify-email', { token });
      await Promise.race([verifying, untilWaiting(em, 2)]);
    });
    expect([(await inviting)?.status, (await verifying)?.status]).toEqual([201, 200]);
    expect((await person.call('GET', '/users/@me/projects')).body.data).toMatchObject([{ id: project.id }]);
  });

  it('to somebody who accepts the invitation of another project at that moment is accepted', async () => {
    const [first, second] = [await createTeam(), await createTeam()];
    const email = 'mia@example.com';
    await first.owner.call('POST', first.path, { email, role: 'MEMBER' });
    const invitation = await mailedToken(stack, email, '/accept-invitation');
    const account = { email, password: testPassword, invitation };
    let accepting: ReturnType<typeof callApi> | undefined;
    let inviting: ReturnType<typeof callApi> | undefined;
    await stack.em().transactional(async (em) => {
      // Stops the acceptance after its look at the invitations.
      await sql(em, 'select from projects where id = $1 for update', [first.project.id]);
      accepting = callApi(stack.url, 'POST', '/auth/signup', account);
      await untilBlocking(em);
      inviting = second.owner.call('POST', second.path, { email, role: 'ADMIN' });
      await Promise.race([inviting, untilWaiting(em, 2)]);
    });
    expect([(await accepting)?.status, (await inviting)?.status]).toEqual([201, 201]);
    const { body } = await second.owner.call('GET', second.path);
    expect(body.data.map((member: { email: string }) => member.email)).toContain(email);
    expect(body.invitations).toEqual([]);
  });

  it('is replaced by the next one, can be taken back, and expires', async () => {
    const { owner, project, path } = await createTeam();
    const email = 'ivan@example.com';
    const first = await owner.call('POST', path, { email, role: 'MEMBER' });
    const old = await mailedToken(stack, email, '/accept-invitation');
    const second = await owner.call('POST', path, { email, role: 'ADMIN' });
    expect(second.body.invitation).toMatchObject({ id: first.body.invitation.id, role: 'ADMIN' });
    const token = await mailedToken(stack, email, '/accept-invitation', 2);
    const signUp = (invitation: string) =>
      callApi(stack.url, 'POST', '/auth/signup', { email, password: testPassword, invitation });
    const read = (invitation: string) =>
      callApi(stack.url, 'POST', '/auth/invitation', { token: invitation });
    expect([(await signUp(old)).status, (await read(old)).status]).toEqual([400, 400]);
    expect((await read(token)).body).toEqual({ email, projectName: project.name, hasAccount: false });
    await run(`update invitations set expires_at = now() where email = $1`, [email]);
    expect([(await signUp(token)).status, (await read(token)).status]).toEqual([400, 400]);
    expect((await owner.call('GET', path)).body.invitations).toEqual([]);
    const third = await owner.call('POST', path, { email, role: 'MEMBER' });
    expect((await owner.call('DELETE', `${path}/${third.body.invitation.id}`)).status).toBe(204);
    const withdrawn = await signUp(await mailedToken(stack, email, '/accept-invitation', 3));
    expect(withdrawn.status).toBe(400);
    expect(withdrawn.body.error.suggestion).toContain('ask for a new one');
  });

  it('is not withdrawn once it is being accepted', async () => {
    const { owner, path } = await createTeam();
    const email = 'kim@example.com';
    const invited = await owner.call('POST', path, { email, role: 'MEMBER' });
    const invitation = await mailedToken(stack, email, '/accept-invitation');
    const pending: Promise<{ status: number }>[] = [];
    await stack.em().transactional(async (em) => {
      // Stops the acceptance between its look at the invitation and its end.
      await sql(em, 'lock table memberships in exclusive mode');
      pending.push(callApi(stack.url, 'POST', '/auth/signup', { email, password: testPassword, invitation }));
      await untilBlocking(em);
      pending.push(owner.call('DELETE', `${path}/${invited.body.invitation.id}`));
      await untilWaiting(em, 2);
    });
    expect((await Promise.all(pending)).map(({ status }) => status)).toEqual([201, 404]);
    const { data } = (await owner.call('GET', path)).body;
    expect(data.map((member: { email: string }) => member.email)).toContain(email);
  });

  it('is not accepted if it is withdrawn while the password is hashed', async () => {
    const { owner, path } = await createTeam();
    const email = 'lars@example.com';
    const invited = await owner.call('POST', path, { email, role: 'MEMBER' });
    const invitation = await mailedToken(stack, email, '/accept-invitation');
    let accepting: ReturnType<typeof callApi> | undefined;
    await stack.em().transactional(async (em) => {
      // Stops the acceptance between the hash and its look at the user.
      await sql(em, 'lock table users in exclusive mode');
      accepting = callApi(stack.url, 'POST', '/auth/signup', { email, password: testPassword, invitation });
      await untilBlocking(em);
      expect((await owner.call('DELETE', `${path}/${invited.body.invitation.id}`)).status).toBe(204);
    });
    expect((await accepting)?.status).toBe(400);
    const login = await callApi(stack.url, 'POST', '/auth/login', { email, password: testPassword });
    expect(login.status).toBe(401);
  });

  it('is accepted while its project is being deleted, and neither fails', async () => {
    const { owner, project, path } = await createTeam();
    const email = 'judy@example.com';
    await owner.call('POST', path, { email, role: 'MEMBER' });
    const invitation = await mailedToken(stack, email, '/accept-invitation');
    const account = { email, password: testPassword, invitation };
    let accepting: ReturnType<typeof callApi> | undefined;
    await stack.em().transactional(async (em) => {
      await sql(em, 'select from projects where id = $1 for update', [project.id]);
      accepting = callApi(stack.url, 'POST', '/auth/signup', account);
      await eventually(
        () => sql(em, 'select from pg_locks where pg_backend_pid() = any(pg_blocking_pids(pid))'),
        (waiting) => waiting.length > 0,
      );
      await sql(em, 'delete from projects where id = $1', [project.id]);
    });
    const answer = await accepting;
    expect(answer?.status).toBe(201);
    expect((await owner.call('GET', '/users/@me/projects')).body.data).toEqual([]);
  });
});

describe('invitations by email', () => {
  const outcomes = (answers: readonly { status: number }[]) => {
    const count = (wanted: number) => answers.filter(({ status }) => status === wanted).length;
    return { sent: count(201), refused: count(429), other: answers.length - count(201) - count(429) };
  };
  const inOneHour = (attempt: () => Promise<void>) => () => withinOne(hourMs, attempt);
  const mailsTo = async (like: string) => {
    const [row] = await run(
      `select count(*)::int as mails from emails where source = 'ACCOUNT' and to_email like $1`,
      [like],
    );
    return row?.mails;
  };
  it(
    'go to an address five times an hour, across concurrent inviters; a refused invitation changes nothing',
    inOneHour(async () => {
      const [one, other] = await Promise.all([createTeam(), createTeam()]);
      const email = `flooded-${newId()}@example.com`;
      const invite = ({ owner, path }: typeof one, role = 'MEMBER') =>
        owner.call('POST', path, { email, role });
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, n) => invite(n % 2 === 0 ? one : other)),
      );
      expect(outcomes(answers)).toEqual({ sent: 5, refused: 3, other: 0 });
      expect(await mailsTo(email)).toBe(5);
      const before = (await one.owner.call('GET', one.path)).body.invitations;
      const refused = await invite(one, 'ADMIN');
      expect([refused.status, refused.body.error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
      const seconds = Number(refused.headers.get('Retry-After'));
      expect(seconds > 0 && seconds <= 3_600).toBe(true);
      expect((await one.owner.call('GET', one.path)).body.invitations).toEqual(before);
      await one.owner.call('DELETE', `${one.path}/${before[0].id}`);
      expect((await invite(one)).status).toBe(429);
      await run(`update invitation_hours set hour = hour - interval '1 hour' where subject = $1`, [email]);
      expect((await invite(one)).status).toBe(201);
    }),
  );

  it(
    'are sent for a user twenty times an hour, across all projects',
    inOneHour(async () => {
      const { owner, path } = await createTeam();
      const domain = `${newId()}.example`;
      const another = `/projects/${(await createOwnProject(owner)).id}/members`;
      const answers = await Promise.all(
        Array.from({ length: 26 }, (_, n) =>
          owner.call('POST', n % 2 === 0 ? path : another, {
            email: `stranger-${n}@${domain}`,
            role: 'MEMBER',
          }),
        ),
      );
      expect(outcomes(answers)).toEqual({ sent: 20, refused: 6, other: 0 });
      expect(await mailsTo(`%@${domain}`)).toBe(20);
      const person = await verifiedPerson();
      const member = await owner.call('POST', path, { email: person.email, role: 'MEMBER' });
      expect([member.status, member.body.member.userId]).toEqual([201, person.id]);
    }),
  );

  it('are only sent for users with a verified address; any user can add an existing account', async () => {
    const person = await createTestPerson(stack.url);
    const path = `/projects/${(await createOwnProject(person)).id}/members`;
    const invite = (email: string) => person.call('POST', path, { email, role: 'MEMBER' });
    const refused = await invite('nobody@unproven.example');
    expect([refused.status, refused.body.error.code]).toEqual([403, 'FORBIDDEN']);
    expect(refused.body.error.suggestion).toContain('/auth/request-verification');
    expect(await mailsTo('%@unproven.example')).toBe(0);
    const known = await verifiedPerson();
    expect((await invite(known.email)).body.member.userId).toBe(known.id);
    const token = await mailedToken(stack, person.email, '/verify-email');
    await person.call('POST', '/auth/verify-email', { token });
    expect((await invite('nobody@unproven.example')).status).toBe(201);
  });
});
