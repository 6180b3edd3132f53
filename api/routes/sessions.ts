import { z } from 'zod';
import { clientOf, sessionCookies, setCookie } from '../edge/cookies.ts';
import { defineRoute, ok } from '../edge/define-route.ts';
import { present } from '../presenters/present.ts';

const sessionSchema = z
  .object({
    id: z.uuid(),
    browser: z.string().nullable().describe('Such as `Firefox`; null when unknown.'),
    system: z.string().nullable().describe('Such as `macOS`; null when unknown.'),
    createdAt: z.iso.datetime(),
    lastUsedAt: z.iso.datetime().describe('Accurate to ten minutes.'),
    current: z.boolean().describe("Whether it is the caller's session."),
  })
  .meta({ id: 'Session' });

export const listSessions = defineRoute('GET /auth/sessions', {
  auth: 'user',
  summary: 'Where the user is signed in',
  responses: ok('The newest 100, newest first.', z.object({ data: z.array(sessionSchema) })),
  async handler(ctx) {
    const sessions = await ctx.services.sessions.list(sessionCookies(ctx));
    ctx.body = {
      data: sessions.map(({ session, isCurrent }) =>
        present(sessionSchema, { ...session, current: isCurrent }),
      ),
    };
  },
});

export const endSession = defineRoute('DELETE /auth/sessions/:id', {
  auth: 'user',
  summary: 'Sign out one session',
  description: 'It is refused from the next request on.',
  responses: { 204: { description: 'Signed out.' } },
  errors: ['NOT_FOUND'],
  async handler(ctx, { params }) {
    const isOwn = await ctx.services.sessions.end(sessionCookies(ctx), params.id);
    if (isOwn) setCookie(ctx, 'token', null);
  },
});

export const endOtherSessions = defineRoute('DELETE /auth/sessions', {
  auth: 'user',
  summary: 'Sign out everywhere else',
  description: "Every session of the user except the caller's is refused from its next request on.",
  responses: { 204: { description: 'Signed out.' } },
  async handler(ctx) {
    const renewed = await ctx.services.sessions.endOthers(sessionCookies(ctx), clientOf(ctx));
    if (renewed !== undefined) setCookie(ctx, 'token', renewed);
  },
});
