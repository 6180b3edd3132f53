import { clientOf, sessionCookies, setCookie } from '../edge/cookies.ts';
import { defineRoute, ok } from '../edge/define-route.ts';
import * as schemas from '../schemas/auth.ts';
import type { ProofOutcome } from '../services/account-links.ts';

const shared = { auth: 'none', limitByAddress: true, bodyLimitBytes: 64 * 1024 } as const;
const tokenExample = 'q3vVJm0k4mZJmYk0m7m2r1xq0k3mJ2yq3Zt7m8n9b0c';

const nextSteps: Readonly<Record<ProofOutcome, string>> = {
  kept: '',
  'password changed': 'The password is changed. Sign in with it.',
  'password ended': 'Choose a new password: POST /auth/request-password-reset mails you a link.',
};

const request = {
  ...shared,
  description:
    'The response is the same for known and unknown addresses. At most five links an hour are mailed.',
  body: schemas.requestLinkBodySchema,
  bodyExample: { email: 'ada@example.com' },
  errors: ['FORBIDDEN', 'SERVICE_UNAVAILABLE'],
} as const;

export const requestVerification = defineRoute('POST /auth/request-verification', {
  ...request,
  summary: 'Request a verification link by email',
  responses: ok('A link was mailed if the address needs verification.', schemas.messageSchema),
  async handler(ctx, { body }) {
    const language = ctx.headers['accept-language'];
    await ctx.services.linkRequests.requestVerification({ ...body, language });
    ctx.body = { message: 'If the address needs verification, a link is on its way.' };
  },
});

export const requestPasswordReset = defineRoute('POST /auth/request-password-reset', {
  ...request,
  summary: 'Request a password reset link by email',
  responses: ok('A link was mailed if there is an account.', schemas.messageSchema),
  async handler(ctx, { body }) {
    const language = ctx.headers['accept-language'];
    await ctx.services.linkRequests.requestPasswordReset({ ...body, language });
    ctx.body = { message: 'If there is an account with the address, a link is on its way.' };
  },
});

export const readVerification = defineRoute('POST /auth/verification', {
  ...shared,
  summary: 'Read a verification link',
  description: 'What the token of a mailed link verifies. `POST /auth/verify-email` verifies it.',
  body: schemas.tokenBodySchema,
  bodyExample: { token: tokenExample },
  responses: ok('The link works.', schemas.openVerificationSchema),
  errors: ['BAD_REQUEST', 'FORBIDDEN'],
  async handler(ctx, { body: { token } }) {
    ctx.body = await ctx.services.accountLinks.verification(token, sessionCookies(ctx));
  },
});

export const confirmEmail = defineRoute('POST /auth/verify-email', {
  ...shared,
  summary: 'Verify an address with the token of a mailed link',
  description:
    "Accepts pending invitations to the address. A token works once, for 24 hours. Send the account's " +
    'session cookie or its `password` to keep both: otherwise someone else may have signed up with the ' +
    'address, so all sessions end and the password is replaced by the one sent, or removed.',
  body: schemas.confirmEmailBodySchema,
  bodyExample: { token: tokenExample },
  responses: ok('Proven.', schemas.messageSchema),
  errors: ['BAD_REQUEST', 'FORBIDDEN', 'SERVICE_UNAVAILABLE'],
  async handler(ctx, { body: { token, password } }) {
    const outcome = await ctx.services.accountLinks.verifyEmail(token, password, sessionCookies(ctx));
    ctx.body = { message: `The address is verified. ${nextSteps[outcome]}`.trim() };
  },
});

export const readPasswordReset = defineRoute('POST /auth/password-reset', {
  ...shared,
  summary: 'Read a password reset link',
  description: 'Whose password the token of a mailed link replaces. `POST /auth/reset-password` replaces it.',
  body: schemas.tokenBodySchema,
  bodyExample: { token: tokenExample },
  responses: ok('The link works.', schemas.openPasswordResetSchema),
  errors: ['BAD_REQUEST', 'FORBIDDEN'],
  async handler(ctx, { body: { token } }) {
    ctx.body = await ctx.services.accountLinks.passwordReset(token);
  },
});

export const resetPassword = defineRoute('POST /auth/reset-password', {
  ...shared,
  summary: 'Choose a new password with the token of a mailed link',
  description: 'Ends every session of the account. A token works once, for an hour.',
  body: schemas.resetPasswordBodySchema,
  bodyExample: { token: tokenExample, password: 'a long pass phrase' },
  responses: ok('The password is changed; sign in with it.', schemas.messageSchema),
  errors: ['BAD_REQUEST', 'FORBIDDEN'],
  async handler(ctx, { body: { token, password } }) {
    setCookie(ctx, 'device', await ctx.services.accountLinks.resetPassword(token, password, clientOf(ctx)));
    ctx.body = { message: 'The password is changed. Sign in with it.' };
  },
});
