import { z } from 'zod';
import { flag, integer, optionalText, optionalUrl } from './types.ts';

/** Address, secret and log of a process. */
export const serverVariables = {
  NODE_ENV: z
    .enum(['production', 'development', 'test'])
    .default('production')
    .describe('`production`, `development` or `test`.'),
  HOST: z.string().default('127.0.0.1').describe('Address on which the API listens.'),
  PORT: integer(8080).describe('Port of the API.'),
  API_URL: optionalUrl.describe(
    'Public address of the API, used in links and cookies. Default: built from `HOST` and `PORT`.',
  ),
  DASHBOARD_URL: optionalUrl.describe(
    'Address of a dashboard hosted elsewhere, which may then call the API with the session cookie. Links in ' +
      'account emails, OAuth sign-in and payments lead back to the dashboard. Default: `/app` of the API; without ' +
      'a dashboard there they lead to plain pages.',
  ),
  DASHBOARD_DIR: optionalText.describe(
    'Folder of the built dashboard that the API serves under `/app`. Default: the newest build.',
  ),
  TRUST_PROXY: flag(false).describe(
    'Take the client address from `X-Forwarded-For` (only behind your own proxy).',
  ),
  APP_SECRET: z
    .string()
    .min(32)
    .describe(
      'At least 32 random characters. Encrypts API keys at rest and signs sessions and links. Required.',
    ),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Minimum log level.'),
};
