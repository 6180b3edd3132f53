import { z } from 'zod';
import { emailAddressSchema } from '../../core/addresses/email-address.ts';
import { defineRoute } from '../edge/define-route.ts';
import { userSchema } from '../presenters/user.ts';

const tags = ['Authentication'];
const bodyLimitBytes = 64 * 1024;
const bodyExample = { email: 'ada@example.com', password: 'a long pass phrase' };
const signedInSchema = z.object({ user: userSchema });

/** Characters; longer ones would only cost time to hash. */
export const newPasswordSchema = z.string().min(10).max(256);

export const signUp = defineRoute({
  method: 'POST',
  path: '/auth/signup',
  auth: 'none',
  tags,
  summary: 'Create an account and sign in',
  description:
    'Sets the session cookie, and a link that proves the address is mailed. Can be switched off by the operator ' +
    '(403) for all who have no invitation.',
  limitByAddress: true,
  bodyLimitBytes,
  body: z.object({
    email: emailAddressSchema,
    password: newPasswordSchema,
    name: z.string().trim().max(200).optional(),
    invitation: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Token of a mailed invitation to the address.'),
  }),
  bodyExample,
  responses: { 201: { description: 'Signed up and in.', schema: signedInSchema } },
  errors: ['BAD_REQUEST', 'FORBIDDEN', 'CONFLICT'],
  async handler({ body, services, request: { headers, clientAddress } }) {
    const { user, cookies } = await services.accounts.signUp(
      { ...body, language: headers['accept-language'] },
      { cookie: headers.cookie, address: clientAddress },
    );
    return { status: 201, body: { user }, headers: { 'Set-Cookie': cookies } };
  },
});

export const logIn = defineRoute({
  method: 'POST',
  path: '/auth/login',
  auth: 'none',
  tags,
  summary: 'Sign in',
  description:
    'Sets the session cookie `token` (HttpOnly, SameSite=Lax, 30 days) and the cookie `device`, by which the browser is ' +
    'known again. After `LOGIN_ATTEMPTS_PER_ACCOUNT` wrong passwords in a quarter of an hour further ones are refused ' +
    '(429), but for devices and addresses that signed in before: each has as many of its own.',
  limitByAddress: true,
  bodyLimitBytes,
  body: z.object({ email: emailAddressSchema, password: z.string().min(1).max(256) }),
  bodyExample,
  responses: { 200: { description: 'Signed in.', schema: signedInSchema } },
  errors: ['UNAUTHENTICATED', 'FORBIDDEN'],
  async handler({ body, services, request: { headers, clientAddress } }) {
    const { user, cookies } = await services.accounts.logIn(body, {
      cookie: headers.cookie,
      address: clientAddress,
    });
    return { status: 200, body: { user }, headers: { 'Set-Cookie': cookies } };
  },
});

export const logOut = defineRoute({
  method: 'GET',
  path: '/auth/logout',
  auth: 'none',
  tags,
  summary: 'Sign out',
  limitByAddress: true,
  responses: { 204: { description: 'The cookie is cleared.' } },
  async handler({ services }) {
    return { status: 204, headers: { 'Set-Cookie': services.accounts.signOutCookie } };
  },
});
