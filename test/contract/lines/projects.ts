import { randomUUID } from 'node:crypto';
import { createOwnProject } from '../../setup/people.ts';
import { type ContractLine, malformedKeys, stale, under, withBody } from '../line.ts';
import type { World } from '../world.ts';
import { projectFields } from './fields.ts';

const own = ({ project }: World) => ({ params: { id: project.id } });
const another = async ({ owner }: World) => ({ params: { id: (await createOwnProject(owner, 'Stall')).id } });
const ofMember = async (world: World) => ({ params: { id: world.project.id, userId: await world.member() } });
const memberFields = ['userId', 'email', 'name', 'role', 'createdAt'];
const badRole = { when: 'the role is invalid', status: 422, change: withBody({ role: 'KING' }) };
const lastOwner = {
  when: 'it is the last owner',
  status: 409,
  code: 'CONFLICT',
  change: (valid: { params?: Record<string, string> }, { owner, project }: World) => ({
    ...valid,
    params: { id: project.id, userId: owner.id },
  }),
};
const security = [
  'level',
  'disabled',
  'disabledReason',
  ...under('sevenDays', ['bounceRate', 'complaintRate', 'level']),
  ...under('allTime', ['bounceRate', 'complaintRate', 'level']),
  'suspensions',
];

export const projectLines: readonly ContractLine[] = [
  {
    line: 'GET /users/@me/projects',
    key: 'session',
    success: 200,
    answer: under('data.0', projectFields),
    valid: () => ({}),
  },
  {
    line: 'POST /users/@me/projects',
    key: 'session',
    success: 201,
    answer: projectFields,
    valid: () => ({ body: { name: 'Stall' } }),
    required: ['name'],
    refusals: [
      ...malformedKeys,
      { when: 'the name is blank', status: 422, change: withBody({ name: ' ' }) },
      {
        when: 'the name is longer than 100 characters',
        status: 422,
        change: withBody({ name: 'n'.repeat(101) }),
      },
    ],
  },
  {
    line: 'PATCH /users/@me/projects/:id',
    key: 'session',
    success: 200,
    answer: projectFields,
    valid: async (world) => ({
      ...(await another(world)),
      body: {
        name: 'Kiosk',
        suppressTransactional: true,
        brandColor: '#0f766e',
        logoUrl: 'https://cdn.example.com/logo.png',
        footerAddress: 'Kiosk\nMarkt 1\nBern',
        language: 'de',
      },
    }),
    refusals: [
      stale,
      { when: 'the color is invalid', status: 422, change: withBody({ brandColor: 'red' }) },
      {
        when: 'the URL of the logo is not https',
        status: 422,
        change: withBody({ logoUrl: 'http://x.example/a.png' }),
      },
      { when: 'the address is too long', status: 422, change: withBody({ footerAddress: 'x'.repeat(301) }) },
      { when: 'the language is not supported', status: 422, change: withBody({ language: 'tlh' }) },
    ],
  },
  { line: 'DELETE /users/@me/projects/:id', key: 'session', role: 'OWNER', success: 204, valid: another },
  {
    line: 'POST /users/@me/projects/:id/regenerate-keys',
    key: 'session',
    role: 'ADMIN',
    success: 200,
    answer: ['publicKey', 'secretKey'],
    valid: another,
  },
  {
    line: 'GET /users/@me/projects/:id/reset',
    key: 'session',
    role: 'ADMIN',
    success: 200,
    answer: ['id', 'status', 'deleted', 'startedAt', 'completedAt'],
    valid: async (world) => {
      const other = await another(world);
      await world.owner.call('POST', `/users/@me/projects/${other.params.id}/reset`, { confirm: 'Stall' });
      return other;
    },
  },
  {
    line: 'POST /users/@me/projects/:id/reset',
    key: 'session',
    role: 'ADMIN',
    success: 200,
    answer: under('deleted', [
      'contacts',
      'emails',
      'events',
      'templates',
      'segments',
      'campaigns',
      'workflows',
    ]),
    valid: async (world) => ({ ...(await another(world)), body: { confirm: 'Stall' } }),
    required: ['confirm'],
    refusals: [
      {
        when: 'the name does not match',
        status: 400,
        code: 'BAD_REQUEST',
        change: withBody({ confirm: 'Market' }),
      },
    ],
  },
  {
    line: 'GET /users/@me/projects/:id/security',
    key: 'session',
    success: 200,
    answer: security,
    valid: own,
  },
  { line: 'GET /projects/:id/security', key: 'session', success: 200, answer: security, valid: own },
  {
    line: 'GET /projects/:id/setup-state',
    key: 'session',
    success: 200,
    answer: [
      'hasVerifiedDomain',
      'hasSentEmail',
      'hasContacts',
      'hasTrackedEvent',
      'hasCampaign',
      'hasWorkflow',
    ],
    valid: own,
  },
  {
    line: 'GET /projects/:id/members',
    key: 'session',
    role: 'ADMIN',
    success: 200,
    answer: [
      ...under('data.0', memberFields),
      ...under('invitations.0', ['id', 'email', 'role', 'expiresAt']),
    ],
    valid: async (world) => {
      await world.invitation();
      return own(world);
    },
  },
  {
    line: 'POST /projects/:id/members',
    key: 'session',
    role: 'ADMIN',
    success: 201,
    answer: ['member', ...under('invitation', ['id', 'email', 'role', 'expiresAt'])],
    valid: (world) => ({ ...own(world), body: { email: `${randomUUID()}@example.com`, role: 'MEMBER' } }),
    required: ['email', 'role'],
    refusals: [
      badRole,
      { when: 'the address is invalid', status: 422, change: withBody({ email: 'ada' }) },
      {
        when: 'it is a member',
        status: 409,
        code: 'CONFLICT',
        change: (valid, { owner }) => withBody({ email: owner.email })(valid),
      },
    ],
  },
  {
    line: 'PATCH /projects/:id/members/:userId',
    key: 'session',
    role: 'ADMIN',
    success: 200,
    answer: memberFields,
    valid: async (world) => ({ ...(await ofMember(world)), body: { role: 'ADMIN' } }),
    required: ['role'],
    refusals: [badRole, lastOwner],
  },
  {
    line: 'DELETE /projects/:id/members/:userId',
    key: 'session',
    role: 'ADMIN',
    success: 204,
    valid: ofMember,
    refusals: [
      lastOwner,
      {
        when: 'the invitation is of another project',
        status: 404,
        code: 'NOT_FOUND',
        change: async (_, world) => ({ params: { id: world.project.id, userId: randomUUID() } }),
      },
    ],
  },
  {
    line: 'GET /projects/:id/webhook-secret',
    key: 'session',
    role: 'ADMIN',
    success: 200,
    answer: ['secret', 'previousSecret', 'previousSecretValidUntil'],
    valid: own,
  },
  {
    line: 'POST /projects/:id/webhook-secret/rotate',
    key: 'session',
    role: 'ADMIN',
    success: 200,
    answer: ['secret', 'previousSecret', 'previousSecretValidUntil'],
    valid: another,
  },
];
