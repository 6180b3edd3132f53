import { z } from 'zod';
import { defineRoute } from '../edge/define-route.ts';

const tags = ['Authentication'];
const params = z.object({ provider: z.enum(['google', 'github']) });
const responses = { 302: { description: 'On to the next page.' } } as const;

export const oauthConfig = defineRoute({
  method: 'GET',
  path: '/auth/oauth-config',
  auth: 'none',
  tags,
  summary: 'Which OAuth providers are configured',
  limitByAddress: true,
  responses: {
    200: {
      description: 'A flag per provider.',
      schema: z.object({ google: z.boolean(), github: z.boolean() }),
    },
  },
  async handler({ services }) {
    return { status: 200, body: services.oauth.configured };
  },
});

export const startOAuth = defineRoute({
  method: 'GET',
  path: '/auth/oauth/:provider',
  auth: 'none',
  tags,
  summary: 'Sign in with Google or GitHub',
  description: 'For browsers: leads to the provider, with PKCE and a state that only this browser knows.',
  limitByAddress: true,
  params,
  responses,
  errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  async handler({ params, services }) {
    const { location, cookies } = await services.oauth.start(params.provider);
    return {
      status: 302,
      headers: { Location: location, 'Set-Cookie': cookies, 'Cache-Control': 'no-store' },
    };
  },
});

export const finishOAuth = defineRoute({
  method: 'GET',
  path: '/auth/oauth/:provider/callback',
  auth: 'none',
  tags,
  summary: 'Where the provider sends the browser back to',
  description:
    'Signs in the user of the account there, else the one with its verified address, else a new one, and leads to ' +
    'the dashboard, or to a page that says so. An account whose address was not proven before loses its password ' +
    'by that.',
  limitByAddress: true,
  params,
  responses,
  errors: ['BAD_REQUEST', 'FORBIDDEN', 'NOT_FOUND', 'CONFLICT', 'SERVICE_UNAVAILABLE'],
  async handler({ params, services, request }) {
    const { location, cookies } = await services.oauth.finish(params.provider, request.url, {
      cookie: request.headers.cookie,
      address: request.clientAddress,
    });
    return {
      status: 302,
      headers: { Location: location, 'Set-Cookie': cookies, 'Cache-Control': 'no-store' },
    };
  },
});
