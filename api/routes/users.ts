import { defineRoute, ok } from '../edge/define-route.ts';
import { present } from '../presenters/present.ts';
import { userSchema } from '../schemas/auth.ts';

export const currentUser = defineRoute('GET /users/@me', {
  auth: 'user',
  summary: 'The signed-in user',
  responses: ok('The user.', userSchema),
  async handler(ctx, { user }) {
    ctx.body = present(userSchema, await ctx.services.accounts.get(user.id));
  },
});
