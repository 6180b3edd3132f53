import { describe, expect, it } from 'vitest';
import { joinedProjectsPerUser } from '../core/accounts/limits.ts';
import { createVerifiedPerson } from './setup/account-mail.ts';
import { createOwnProject, createTestPerson, personOf } from './setup/people.ts';
import { startAnotherApi } from './setup/processes.ts';
import { useTestProduct } from './setup/product.ts';
import { minuteMs, withinOne } from './setup/within-one.ts';

const [requestsPerMinute, projectsPerUser, perAddress] = [30, 3, 12];
const stack = useTestProduct({
  AUTH_RATE_LIMIT_PER_MINUTE: String(perAddress),
  TRUST_PROXY: 'true',
  USER_RATE_LIMIT_PER_MINUTE: String(requestsPerMinute),
  PROJECTS_PER_USER: String(projectsPerUser),
});

describe('requests with the cookie', () => {
  it('are limited per user across processes, and answers say how many are left', async () => {
    const second = await startAnotherApi(stack);
    try {
      await withinOne(minuteMs, async () => {
        const [person, other] = [await createTestPerson(stack.url), await createTestPerson(stack.url)];
        const there = personOf(second.url, person, person.cookie);
        const first = await person.call('GET', '/users/@me');
        expect(first.headers.get('RateLimit-Limit')).toBe(String(requestsPerMinute));
        expect(Number(first.headers.get('RateLimit-Remaining'))).toBeLessThan(requestsPerMinute);
        const statuses: number[] = [first.status];
        for (let call = 1; call < requestsPerMinute + 10; call += 1) {
          const path = call % 3 === 0 ? '/users/@me/projects' : '/users/@me';
          const answer = await (call % 2 === 0 ? person : there).call('GET', path);
          statuses.push(answer.status);
          if (answer.status === 429) expect(Number(answer.headers.get('Retry-After'))).toBeGreaterThan(0);
        }
        const allowed = statuses.filter((status) => status === 200).length;
        expect(allowed).toBeLessThanOrEqual(requestsPerMinute);
        expect(allowed).toBeGreaterThan(requestsPerMinute / 2);
        expect(statuses.at(-1)).toBe(429);
        const path = '/projects/0197c1f0-0000-7000-8000-000000000001/members';
        expect((await person.call('GET', path)).status).toBe(429);
        expect((await other.call('GET', '/users/@me')).status).toBe(200);
      });
    } finally {
      await second.stop();
    }
  });
});

it('invitations are limited by address too, for all senders together', async () => {
  const [one, other] = [await createTestPerson(stack.url), await createTestPerson(stack.url)];
  const project = await createOwnProject(one);
  const invite = async (person: typeof one, address: string) => {
    const path = `/projects/${project.id}/members`;
    const invited = { email: 'grace@example.com', role: 'MEMBER' };
    return (await person.call('POST', path, invited, { 'X-Forwarded-For': address })).status;
  };
  let attempts = 0;
  await withinOne(minuteMs, async () => {
    attempts += 1;
    const [here, elsewhere] = [`198.51.100.${attempts}`, `203.0.113.${attempts}`];
    for (let call = 0; call < perAddress; call += 1) {
      expect(await invite(call % 2 === 0 ? one : other, here)).not.toBe(429);
    }
    expect(await invite(one, here)).toBe(429);
    expect(await invite(other, here)).toBe(429);
    expect(await invite(one, elsewhere)).not.toBe(429);
  });
});

it('a user never exceeds the project limit, even with concurrent calls', async () => {
  const person = await createTestPerson(stack.url);
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => person.call('POST', '/users/@me/projects', { name: 'Shop' })),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 201, 201, 409, 409, 409]);
  const refused = answers.find(({ status }) => status === 409);
  expect(refused?.body.error.details).toEqual({ limit: projectsPerUser });
  const [project] = (await person.call('GET', '/users/@me/projects')).body.data;
  expect((await person.call('DELETE', `/users/@me/projects/${project.id}`)).status).toBe(204);
  expect((await createOwnProject(person)).id).toEqual(expect.any(String));
});

it('projects that others add a user to do not count as created, and are limited', async () => {
  const [victim, stranger] = [await createVerifiedPerson(stack), await createTestPerson(stack.url)];
  const forwarded = { 'X-Forwarded-For': '192.0.2.7' };
  const add = (projectId: string) =>
    stranger.call(
      'POST',
      `/projects/${projectId}/members`,
      { email: victim.email, role: 'OWNER' },
      forwarded,
    );
  const projects = [];
  for (let count = 0; count < projectsPerUser; count += 1) projects.push(await createOwnProject(stranger));
  for (const { id } of projects.slice(1)) expect((await add(id)).status).toBe(201);
  const own = [];
  for (let count = 0; count < projectsPerUser; count += 1) {
    own.push(await victim.call('POST', '/users/@me/projects', { name: 'Own' }));
  }
  expect(own.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect((await victim.call('POST', '/users/@me/projects', { name: 'Own' })).status).toBe(409);
  await stack.sql(
    `with added as (
       insert into projects select (p).* from (
         select jsonb_populate_record(p, jsonb_build_object('id', gen_random_uuid(),
             'public_key_hash', '\\x' || md5('p' || n), 'secret_key_hash', '\\x' || md5('s' || n))) as p
           from projects p, generate_series(1, $3) n where p.id = $1) copies
       returning id)
     insert into memberships (project_id, user_id, role) select id, $2, 'MEMBER' from added`,
    [projects[0]?.id, victim.id, joinedProjectsPerUser - 2],
  );
  const refused = await add(projects[0]?.id ?? '');
  expect([refused.status, refused.body.error.details]).toEqual([409, { limit: joinedProjectsPerUser }]);
  await victim.call('DELETE', `/projects/${projects[1]?.id}/members/${victim.id}`);
  expect((await add(projects[0]?.id ?? '')).status).toBe(201);
});
