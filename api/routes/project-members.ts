import { created, defineRoute, ok } from '../edge/define-route.ts';
import { present } from '../presenters/present.ts';
import * as schemas from '../schemas/members.ts';
import type { Member } from '../services/project-members.ts';

const presentMember = ({ user, role, createdAt }: Member) =>
  present(schemas.memberSchema, { ...user, userId: user.id, role, createdAt });

export const listProjectMembers = defineRoute('GET /projects/:id/members', {
  auth: 'user',
  summary: 'Members of a project and pending invitations',
  description: 'Requires an owner or admin.',
  responses: ok('All of them.', schemas.memberListSchema),
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  async handler(ctx, { user, params }) {
    const { members, invitations } = await ctx.services.projectMembers.list(user.id, params.id);
    ctx.body = {
      data: members.map(presentMember),
      invitations: invitations.map((one) => present(schemas.invitationSchema, one)),
    };
  },
});

export const inviteMember = defineRoute('POST /projects/:id/members', {
  auth: 'user',
  summary: 'Invite somebody to a project',
  description:
    'A user with a verified account for this address becomes a member at once, of at most 500 projects that others ' +
    'created (409). Anyone else gets a link by email, valid for seven days, and becomes a member after ' +
    'signing up and verifying the address. A repeated invitation replaces the first. Requires an owner or admin; only owners may invite owners or ' +
    'replace such an invitation. Inviting by email requires a verified address (403). At most five ' +
    'invitations an hour are mailed to an address, and twenty by a user (429).',
  limitByAddress: true,
  body: schemas.inviteMemberBodySchema,
  bodyExample: { email: 'grace@example.com', role: 'MEMBER' },
  responses: created('One of the two; the other is null.', schemas.invitedSchema),
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  async handler(ctx, { user, params, body }) {
    const language = ctx.headers['accept-language'];
    const { member, invitation } = await ctx.services.projectMembers.invite(user.id, params.id, {
      ...body,
      language,
    });
    ctx.body = {
      member: member && presentMember(member),
      invitation: invitation && present(schemas.invitationSchema, invitation),
    };
  },
});

export const changeMemberRole = defineRoute('PATCH /projects/:id/members/:userId', {
  auth: 'user',
  summary: 'Change the role of a member',
  description:
    'Requires an owner or admin; only owners may grant or revoke ownership. The last owner must stay (409).',
  body: schemas.changeRoleBodySchema,
  bodyExample: { role: 'ADMIN' },
  responses: ok('The updated member.', schemas.memberSchema),
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  async handler(ctx, { user, params, body }) {
    const member = await ctx.services.projectMembers.changeRole(user.id, params.id, params.userId, body.role);
    ctx.body = presentMember(member);
  },
});

export const removeProjectMember = defineRoute('DELETE /projects/:id/members/:userId', {
  auth: 'user',
  summary: 'Remove a member, leave, or withdraw an invitation',
  description:
    'With an invitation id in place of the user id, withdraws that invitation. Everyone may leave but ' +
    'the last owner (409).',
  responses: { 204: { description: 'Done.' } },
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  handler: (ctx, { user, params }) => ctx.services.projectMembers.remove(user.id, params.id, params.userId),
});
