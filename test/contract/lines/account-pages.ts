import type { Call } from '../call.ts';
import type { ContractLine } from '../line.ts';
import type { World } from '../world.ts';
import { invitationFor, tokenFor } from './accounts.ts';

const html = 'text/html; charset=utf-8';
const password = 'another pass phrase';
const form = (fields: Record<string, string>): Call => ({
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
});

const proof = (world: World) => tokenFor(world, '/auth/request-verification', '/verify-email');
const reset = (world: World) => tokenFor(world, '/auth/request-password-reset', '/reset-password');

const shown = (path: `/${string}`, tokenOf: (world: World) => Promise<string>): ContractLine => ({
  line: `GET ${path}`,
  key: 'link',
  success: 200,
  type: html,
  valid: async (world) => ({ query: `token=${await tokenOf(world)}` }),
  refusals: [
    { when: 'the link has no token', status: 422, change: () => ({}) },
    {
      when: 'the token is not one of ours',
      status: 400,
      change: () => ({ query: `token=${'x'.repeat(43)}` }),
    },
  ],
});
const submitted = (
  path: `/${string}`,
  tokenOf: (world: World) => Promise<string>,
  fields: Record<string, string>,
): ContractLine => ({
  line: `POST ${path}`,
  key: 'link',
  success: 200,
  type: html,
  valid: async (world) => form({ token: await tokenOf(world), ...fields }),
  refusals: [
    {
      when: 'the token is not one of ours',
      status: 400,
      change: () => form({ token: 'x'.repeat(43), ...fields }),
    },
    { when: 'the token is missing', status: 422, change: () => form(fields) },
  ],
});

const badPassword = { when: 'the password is too short', status: 422 };

export const accountPageLines: readonly ContractLine[] = [
  shown('/verify-email', proof),
  submitted('/verify-email', proof, { password }),
  shown('/reset-password', reset),
  {
    ...submitted('/reset-password', reset, { password }),
    refusals: [{ ...badPassword, change: () => form({ token: 'x'.repeat(43), password: 'short' }) }],
  },
  shown('/accept-invitation', invitationFor),
  submitted('/accept-invitation', invitationFor, { password }),
  {
    line: 'GET /return/:page',
    key: 'link',
    success: 200,
    type: html,
    names: ['page'],
    valid: () => ({ params: { page: 'signed-in' } }),
    refusals: [{ when: 'the page does not exist', status: 422, change: () => ({ params: { page: 'x' } }) }],
  },
];
