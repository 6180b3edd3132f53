import { z } from 'zod';
import { emailAddressSchema } from '../../core/addresses/email-address.ts';
import { defineRoute } from '../edge/define-route.ts';
import type { ProofOutcome } from '../services/account-links.ts';
import { newPasswordSchema } from './auth.ts';

const tags = ['Authentication'];
const bodyLimitBytes = 64 * 1024;
const tokenSchema = z.string().min(1).max(200);
const tokenExample = 'q3vVJm0k4mZJmYk0m7m2r1xq0k3mJ2yq3Zt7m8n9b0c';
const messageSchema = z.object({ message: z.string() });

const nextSteps: Readonly<Record<ProofOutcome, string>> = {
  kept: '',
  'password changed': 'The password is changed. Sign in with it.',
  'password ended': 'Choose a new password: POST /auth/request-password-reset mails you a link.',
};

const request = {
  method: 'POST',
  auth: 'none',
  tags,
  limitByAddress: true,
  bodyLimitBytes,
  body: z.object({ email: emailAddressSchema }),
  bodyExample: { email: 'ada@example.com' },
  errors: ['FORBIDDEN', 'SERVICE_UNAVAILABLE'],
} as const;

export const requestVerification = defineRoute({
  ...request,
  path: '/auth/request-verification',
  summary: 'Have a link mailed that proves the address',
  description:
    'The answer is the same whether the address is known or not. At most five links an hour are mailed.',
  responses: { 200: { description: 'A link was mailed if there was a reason to.', schema: messageSchema } },
  async handler({ body, services, request: { headers } }) {
    await services.accountLinks.requestVerification({ ...body, language: headers['accept-language'] });
    return { status: 200, body: { message: 'If the address needs verification, a link is on its way.' } };
  },
});

export const requestPasswordReset = defineRoute({
  ...request,
  path: '/auth/request-password-reset',
  summary: 'Have a link mailed to choose a new password',
  description:
    'The answer is the same whether the address is known or not. At most five links an hour are mailed.',
  responses: { 200: { description: 'A link was mailed if there is an account.', schema: messageSchema } },
  async handler({ body, services, request: { headers } }) {
    await services.accountLinks.requestPasswordReset({ ...body, language: headers['accept-language'] });
    return {
      status: 200,
      body: { message: 'If there is an account with the address, a link is on its way.' },
    };
  },
});

export const confirmEmail = defineRoute({
  method: 'POST',
  path: '/auth/verify-email',
  auth: 'none',
  tags,
  summary: 'Prove an address with the token of a mailed link',
  description:
    'Invitations to the address become places in their projects. A token works once, for 24 hours. Send the session ' +
    'cookie of the account or its `password` to keep both: without them somebody else may have signed up with the ' +
    'address, so its sessions end, and its password becomes the one that is sent, or none.',
  limitByAddress: true,
  bodyLimitBytes,
  body: z.object({
    token: tokenSchema,
    password: newPasswordSchema
      .optional()
      .describe('The one chosen at sign-up; any other becomes the new one.'),
  }),
  bodyExample: { token: tokenExample },
  responses: { 200: { description: 'Proven.', schema: messageSchema } },
  errors: ['BAD_REQUEST', 'FORBIDDEN', 'SERVICE_UNAVAILABLE'],
  async handler({ body: { token, password }, services, request: { headers } }) {
    const outcome = await services.accountLinks.verifyEmail(token, password, headers.cookie);
    return { status: 200, body: { message: `The address is verified. ${nextSteps[outcome]}`.trim() } };
  },
});

export const resetPassword = defineRoute({
  method: 'POST',
  path: '/auth/reset-password',
  auth: 'none',
  tags,
  summary: 'Choose a new password with the token of a mailed link',
  description: 'Ends every session of the account. A token works once, for an hour.',
  limitByAddress: true,
  bodyLimitBytes,
  body: z.object({ token: tokenSchema, password: newPasswordSchema }),
  bodyExample: { token: tokenExample, password: 'a long pass phrase' },
  responses: { 200: { description: 'The password is changed; sign in with it.', schema: messageSchema } },
  errors: ['BAD_REQUEST', 'FORBIDDEN'],
  async handler({ body, services, request: { headers, clientAddress } }) {
    const cookie = await services.accountLinks.resetPassword(body.token, body.password, {
      cookie: headers.cookie,
      address: clientAddress,
    });
    return {
      status: 200,
      body: { message: 'The password is changed. Sign in with it.' },
      headers: { 'Set-Cookie': cookie },
    };
  },
});
