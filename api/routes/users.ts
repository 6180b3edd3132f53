import { defineRoute } from '../edge/define-route.ts';
import { presentUser } from '../presenters/user.ts';
import { userSchema } from '../schemas/answers/user.ts';

export const currentUser = defineRoute({
  method: 'GET',
  path: '/users/@me',
  auth: 'user',
  summary: 'The signed-in user',
  responses: { 200: { description: 'The user.', schema: userSchema } },
  async handler(ctx) {
    const { user } = ctx.state;
    ctx.body = presentUser(await ctx.services.accounts.get(user.id));
  },
});
