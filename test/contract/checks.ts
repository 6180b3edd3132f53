import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { eventually } from '../setup/eventually.ts';
import type { Call } from './call.ts';
import { ask, idsOf, isKeyed, isUnsafe, parametersOf, session } from './caller.ts';
import { expectEnvelope, expectRefusal, valueAt } from './expectations.ts';
import { type ContractLine, withField } from './line.ts';
import type { Scene } from './scene.ts';

interface Check {
  name: (line: ContractLine) => string;
  applies: (line: ContractLine) => boolean;
  run: (line: ContractLine, scene: Scene) => Promise<void>;
}

const takesApiKey = ({ key }: ContractLine) => key === 'sk' || key === 'pk';
const takesSession = ({ key }: ContractLine) => key === 'sk' || key === 'session' || key === 'session or sk';

export const checks: readonly Check[] = [
  {
    name: ({ success }) => `answers ${success} to a valid request`,
    applies: () => true,
    async run(line, { send, ours }) {
      const answer = await send(line, await line.valid(ours));
      expect([answer.status, answer.body]).toEqual([line.success, answer.body]);
      expect(answer.headers.get('X-Request-Id')).toMatch(/^[\w.-]{1,128}$/);
      if (line.type !== undefined) expect(answer.headers.get('content-type')).toBe(line.type);
      else if (line.answer === undefined) expect(answer.body).toBeUndefined();
      const missing = (line.answer ?? []).filter((name) => valueAt(answer.body, name) === undefined);
      expect([missing, answer.body]).toEqual([[], answer.body]);
      if (line.answer?.includes('success')) expect(answer.body.success).toBe(true);
    },
  },
  {
    name: () => 'refuses callers without its kind of key',
    applies: takesApiKey,
    async run(line, { refusable, url, ours }) {
      const call = await refusable(line);
      const withKey = (key: string) => ask(url, line, call, { Authorization: `Bearer ${key}` });
      expectEnvelope(await ask(url, line, call), 401, 'MISSING_API_KEY');
      const { publicKey, secretKey } = ours.project;
      const wrong = await withKey(line.key === 'sk' ? publicKey : secretKey);
      expectEnvelope(wrong, 401, 'INVALID_API_KEY');
      expect(wrong.body.error.message).toContain(`requires a ${line.key === 'sk' ? 'secret' : 'public'} key`);
      expectEnvelope(await withKey(`${line.key}_${'A'.repeat(40)}`), 401, 'INVALID_API_KEY');
    },
  },
  {
    name: () => 'refuses callers who are not signed in',
    applies: ({ key }) => key === 'session' || key === 'session or sk',
    async run(line, { url, ours }) {
      const call = await line.valid(ours);
      const asked = (headers: Record<string, string>) => ask(url, line, call, headers);
      expectEnvelope(await asked({}), 401, 'UNAUTHENTICATED');
      expectEnvelope(await asked(session('token=whatever', url)), 401, 'UNAUTHENTICATED');
      expect((await asked({ Authorization: `Bearer ${ours.project.publicKey}` })).status).toBe(401);
      const bySecretKey = await asked({ Authorization: `Bearer ${ours.project.secretKey}` });
      expect(bySecretKey.status).toBe(line.key === 'session' ? 401 : line.success);
    },
  },
  {
    name: () => "accepts a member's session instead of the key, and nobody else's",
    applies: ({ key }) => key === 'sk',
    async run(line, { url, ours, theirs, member, leavesTheirs }) {
      const inProject = (id: string) => ({ ...session(member.cookie, url), 'X-Project-Id': id });
      await leavesTheirs(
        () => Promise.resolve(line.valid(ours)),
        async (call) => {
          expectEnvelope(await ask(url, line, call, inProject(theirs.project.id)), 404, 'NOT_FOUND');
          expect((await ask(url, line, call, inProject(ours.project.id))).status).toBe(line.success);
        },
      );
    },
  },
  {
    name: () => 'refuses a session on a cross-site request',
    applies: (line) => isUnsafe(line) && takesSession(line),
    async run(line, { refusable, url, ours }) {
      const call = await refusable(line);
      const origins: Record<string, string>[] = [{ Origin: 'https://evil.example' }, { Origin: 'null' }, {}];
      for (const origin of origins) {
        const headers = { Cookie: ours.owner.cookie, 'X-Project-Id': ours.project.id, ...origin };
        expectEnvelope(await ask(url, line, call, headers), 403, 'FORBIDDEN');
      }
    },
  },
  {
    name: () => 'refuses members whose role is not enough',
    applies: ({ role }) => role !== undefined,
    async run(line, { refusable, url, ours, member, admin }) {
      const call = await refusable(line);
      const params = { ...call.params, id: ours.project.id };
      for (const { cookie } of line.role === 'OWNER' ? [member, admin] : [member]) {
        expectEnvelope(await ask(url, line, { ...call, params }, session(cookie, url)), 403, 'FORBIDDEN');
      }
    },
  },
  {
    name: () => 'reveals nothing of another project',
    applies: (line) => parametersOf(line).length > 0 && isKeyed(line),
    run: (line, { ours, theirs, send, refusable, leavesTheirs }) =>
      leavesTheirs(
        async (): Promise<Call> => line.valid(theirs),
        async ({ params }) => {
          const ids = idsOf(line);
          const own = ids.length > 0 ? await refusable(line) : await line.valid(ours);
          for (const id of ids) {
            const mixed = { ...own, params: { ...own.params, [id]: params?.[id] ?? '' } };
            expectEnvelope(await send(line, mixed), 404, 'NOT_FOUND');
          }
          const whole = await send(line, { ...own, ...(params && { params }) });
          // Both projects may use the same name for different things.
          if (ids.length > 0) expectEnvelope(whole, 404, 'NOT_FOUND');
        },
      ),
  },
  {
    name: () => 'refuses ids of another project in its body',
    applies: ({ bodyIds }) => bodyIds !== undefined,
    async run(line, { refusable, theirs, send, leavesTheirs }) {
      for (const [field, idOf] of Object.entries(line.bodyIds ?? {})) {
        await leavesTheirs(
          () => idOf(theirs),
          async (foreign) => {
            const call = await refusable(line);
            for (const id of [foreign, randomUUID()]) {
              expectEnvelope(await send(line, withField(field, id)(call)), 404, 'NOT_FOUND');
            }
            expectRefusal(line, await send(line, withField(field, 'no id')(call)), { status: 422 });
          },
        );
      }
    },
  },
  {
    name: () => 'answers 404 to unknown ids and 422 to malformed ones',
    applies: (line) => idsOf(line).length > 0,
    async run(line, { refusable, send }) {
      const call = await refusable(line);
      for (const id of idsOf(line)) {
        const withId = (value: string) => send(line, { ...call, params: { ...call.params, [id]: value } });
        expectEnvelope(await withId(randomUUID()), 404, 'NOT_FOUND');
        for (const value of ['1', "' or 1=1 --", '\0', `${randomUUID()}x`]) {
          expectRefusal(line, await withId(value), { status: 422 });
        }
      }
    },
  },
  {
    name: () => 'refuses a malformed or incomplete body',
    applies: ({ required }) => required !== undefined,
    async run(line, { refusable, send }) {
      const call = await refusable(line);
      const malformed = line.simpleErrors === true ? {} : { code: 'INVALID_JSON' };
      for (const body of ['{', '{"a":1,}', '\u0000']) {
        expectRefusal(line, await send(line, { ...call, body }), { status: 400, ...malformed });
      }
      for (const body of ['[]', '"text"', 'null']) {
        const status = line.simpleErrors === true ? 400 : 422;
        expectRefusal(line, await send(line, { ...call, body }), { status });
      }
      for (const field of line.required ?? []) {
        const answer = await send(line, withField(field, undefined)(call));
        expectRefusal(line, answer, { status: line.missing ?? 422 });
      }
    },
  },
  {
    name: () => 'is refused while the project is disabled',
    applies: ({ notWhileDisabled }) => notWhileDisabled === true,
    async run(line, { closed, send, disable }) {
      const call = await line.valid(closed);
      await disable(true);
      // Keys are cached for a moment.
      const answer = await eventually(
        () => send(line, call, closed),
        ({ status }) => status === 403,
      );
      expectEnvelope(answer, 403, 'PROJECT_DISABLED');
      await disable(false);
    },
  },
];
