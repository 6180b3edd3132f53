import { clientOf, sessionCookies, setCookie, setSignInCookies } from '../edge/cookies.ts';
import { created, defineRoute, ok } from '../edge/define-route.ts';
import { present } from '../presenters/present.ts';
import * as schemas from '../schemas/auth.ts';

const shared = { auth: 'none', limitByAddress: true, bodyLimitBytes: 64 * 1024 } as const;
const tokenExample = { token: 'q3vVJm0k4mZJmYk0m7m2r1xq0k3mJ2yq3Zt7m8n9b0c' };
const bodyExample = { email: 'ada@example.com', password: 'a long pass phrase' };

export const signUp = defineRoute('POST /auth/signup', {
  ...shared,
  summary: 'Create an account and sign in',
  description:
    'Sets the session cookie and mails a verification link. The operator can restrict sign-up to invited ' +
    'users (403).',
  body: schemas.signUpBodySchema,
  bodyExample,
  responses: created('Signed up and in.', schemas.signedInSchema),
  errors: ['BAD_REQUEST', 'FORBIDDEN', 'CONFLICT'],
  async handler(ctx, { body }) {
    const signedIn = await ctx.services.accounts.signUp(
      { ...body, language: ctx.headers['accept-language'] },
      clientOf(ctx),
    );
    setSignInCookies(ctx, signedIn);
    ctx.body = { user: present(schemas.userSchema, signedIn.user) };
  },
});

export const readInvitation = defineRoute('POST /auth/invitation', {
  ...shared,
  summary: 'Read an invitation',
  description: 'What the token of a mailed invitation is for. `POST /auth/signup` accepts it.',
  body: schemas.tokenBodySchema,
  bodyExample: tokenExample,
  responses: ok('The invitation is open.', schemas.openInvitationSchema),
  errors: ['BAD_REQUEST', 'FORBIDDEN'],
  async handler(ctx, { body }) {
    ctx.body = await ctx.services.accounts.invitation(body.token);
  },
});

export const logIn = defineRoute('POST /auth/login', {
  ...shared,
  summary: 'Sign in',
  description:
    'Sets the session cookie `token` (HttpOnly, SameSite=Lax, 30 days) and the cookie `device`, which ' +
    'identifies the browser. After `LOGIN_ATTEMPTS_PER_ACCOUNT` wrong passwords within 15 minutes, ' +
    'further attempts are refused (429). Devices and addresses that have signed in before have a separate ' +
    'allowance each.',
  body: schemas.logInBodySchema,
  bodyExample,
  responses: ok('Signed in.', schemas.signedInSchema),
  errors: ['UNAUTHENTICATED', 'FORBIDDEN'],
  async handler(ctx, { body }) {
    const signedIn = await ctx.services.accounts.logIn(body, clientOf(ctx));
    setSignInCookies(ctx, signedIn);
    ctx.body = { user: present(schemas.userSchema, signedIn.user) };
  },
});

export const logInOnce = defineRoute('POST /auth/one-time', {
  ...shared,
  summary: 'Sign in with a one-time link',
  description:
    'Takes the token of a link that `npm start` prints. It works once, for a quarter of an hour; opening the link ' +
    'alone does not use it up.',
  body: schemas.tokenBodySchema,
  bodyExample: tokenExample,
  responses: ok('Signed in.', schemas.signedInSchema),
  errors: ['BAD_REQUEST', 'FORBIDDEN'],
  async handler(ctx, { body }) {
    const signedIn = await ctx.services.accounts.logInOnce(body.token, clientOf(ctx));
    setSignInCookies(ctx, signedIn);
    ctx.body = { user: present(schemas.userSchema, signedIn.user) };
  },
});

export const logOut = defineRoute('GET /auth/logout', {
  auth: 'none',
  summary: 'Sign out',
  limitByAddress: true,
  responses: { 204: { description: 'The session is over and the cookie cleared.' } },
  async handler(ctx) {
    await ctx.services.sessions.signOut(sessionCookies(ctx));
    setCookie(ctx, 'token', null);
  },
});
