import { defineRoute } from '../edge/define-route.ts';
import { userSchema } from '../presenters/user.ts';

export const currentUser = defineRoute({
  method: 'GET',
  path: '/users/@me',
  auth: 'user',
  tags: ['Users'],
  summary: 'The signed-in user',
  responses: { 200: { description: 'The user.', schema: userSchema } },
  async handler({ user, services }) {
    return { status: 200, body: await services.accounts.get(user.id) };
  },
});
