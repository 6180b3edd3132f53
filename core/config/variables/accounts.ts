import { z } from 'zod';
import { emailAddressSchema } from '../../addresses/email-address.ts';
import { optionalText, webUrl } from './types.ts';

/** Account emails and sign-in through OAuth providers. */
export const accountsVariables = {
  ACCOUNT_EMAIL_FROM: emailAddressSchema
    .optional()
    .describe(
      'Sender of account emails (verification, password reset, invitations), at a domain that your ' +
        'provider lets you send from; no project can add that domain then. Without it no account emails are ' +
        'sent, and requests that need one return 503.',
    ),
  ACCOUNT_EMAIL_NAME: z.string().max(100).default('Posthaste').describe('Display name of that sender.'),

  OAUTH_GOOGLE_CLIENT_ID: optionalText.describe(
    'Enables sign-in with Google. The callback is `/auth/oauth/google/callback` of the API.',
  ),
  OAUTH_GOOGLE_CLIENT_SECRET: optionalText.describe('Required with `OAUTH_GOOGLE_CLIENT_ID`.'),
  OAUTH_GOOGLE_ISSUER: webUrl
    .default('https://accounts.google.com')
    .describe('Issuer of another OpenID Connect provider, instead of Google.'),
  OAUTH_GITHUB_CLIENT_ID: optionalText.describe(
    'Enables sign-in with GitHub. The callback is `/auth/oauth/github/callback` of the API.',
  ),
  OAUTH_GITHUB_CLIENT_SECRET: optionalText.describe('Required with `OAUTH_GITHUB_CLIENT_ID`.'),
  OAUTH_GITHUB_URL: webUrl
    .default('https://github.com')
    .describe('Address of a GitHub Enterprise Server, instead of GitHub.'),
};
