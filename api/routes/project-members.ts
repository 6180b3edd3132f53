import { z } from 'zod';
import { emailAddressSchema } from '../../core/addresses/email-address.ts';
import { idSchema } from '../../core/id-schema.ts';
import { roles } from '../../db/entities/membership.ts';
import { defineRoute } from '../edge/define-route.ts';
import { invitationSchema, memberSchema, presentInvitation, presentMember } from '../presenters/member.ts';

const tags = ['Projects'];
const projectParams = z.object({ id: idSchema });
const memberParams = z.object({ id: idSchema, userId: idSchema });

export const listProjectMembers = defineRoute({
  method: 'GET',
  path: '/projects/:id/members',
  auth: 'user',
  tags,
  summary: 'Members of a project, and invitations that wait',
  description: 'For owners and admins.',
  params: projectParams,
  responses: {
    200: {
      description: 'All of them.',
      schema: z.object({ data: z.array(memberSchema), invitations: z.array(invitationSchema) }),
    },
  },
  errors: ['NOT_FOUND', 'FORBIDDEN'],
  async handler({ user, params, services }) {
    const { members, invitations } = await services.projectMembers.list(user.id, params.id);
    return {
      status: 200,
      body: { data: members.map(presentMember), invitations: invitations.map(presentInvitation) },
    };
  },
});

export const inviteMember = defineRoute({
  method: 'POST',
  path: '/projects/:id/members',
  auth: 'user',
  tags,
  summary: 'Invite somebody to a project',
  description:
    'Users with an account for this address, which they have verified, are members at once. Others get ' +
    'a link by email, and become members when they have signed up and proven the address; it works for seven days. ' +
    'A repeated invitation replaces the first. For owners and admins; only owners make owners, and only they replace ' +
    'the invitation of one. Who invites by email must have proven an address (403). At most five invitations an ' +
    'hour are mailed to an address, and twenty by a user (429).',
  limitByAddress: true,
  params: projectParams,
  body: z.object({ email: emailAddressSchema, role: z.enum(roles) }),
  bodyExample: { email: 'grace@example.com', role: 'MEMBER' },
  responses: {
    201: {
      description: 'One of both, the other is null.',
      schema: z.object({ member: memberSchema.nullable(), invitation: invitationSchema.nullable() }),
    },
  },
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  async handler({ user, params, body, services, request }) {
    const language = request.headers['accept-language'];
    const { member, invitation } = await services.projectMembers.invite(user.id, params.id, {
      ...body,
      language,
    });
    return {
      status: 201,
      body: {
        member: member && presentMember(member),
        invitation: invitation && presentInvitation(invitation),
      },
    };
  },
});

export const changeMemberRole = defineRoute({
  method: 'PATCH',
  path: '/projects/:id/members/:userId',
  auth: 'user',
  tags,
  summary: 'Change the role of a member',
  description:
    'For owners and admins; only owners make owners or take that from them. The last one stays (409).',
  params: memberParams,
  body: z.object({ role: z.enum(roles) }),
  bodyExample: { role: 'ADMIN' },
  responses: { 200: { description: 'The member as it is now.', schema: memberSchema } },
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  async handler({ user, params, body, services }) {
    const member = await services.projectMembers.changeRole(user.id, params.id, params.userId, body.role);
    return { status: 200, body: presentMember(member) };
  },
});

export const removeProjectMember = defineRoute({
  method: 'DELETE',
  path: '/projects/:id/members/:userId',
  auth: 'user',
  tags,
  summary: 'Remove a member, leave, or take an invitation back',
  description:
    'With the id of an invitation in place of the user id, that one is taken back. Everyone may leave but the last ' +
    'owner (409).',
  params: memberParams,
  responses: { 204: { description: 'Done.' } },
  errors: ['NOT_FOUND', 'FORBIDDEN', 'CONFLICT'],
  async handler({ user, params, services }) {
    await services.projectMembers.remove(user.id, params.id, params.userId);
    return { status: 204 };
  },
});
