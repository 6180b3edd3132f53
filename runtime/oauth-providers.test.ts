import { expect, it } from 'vitest';
import { loadConfig } from '../core/config/load.ts';
import { openOAuthProviders } from './oauth-providers.ts';

const open = (environment: Record<string, string>) =>
  openOAuthProviders(
    loadConfig({ APP_SECRET: 'x'.repeat(32), DATABASE_URL: 'postgres://p', ...environment }),
  );

it('opens those that are configured', () => {
  expect(open({})).toEqual({ google: null, github: null });
  const { google, github } = open({ OAUTH_GITHUB_CLIENT_ID: 'id', OAUTH_GITHUB_CLIENT_SECRET: 'secret' });
  expect([google === null, github === null]).toEqual([true, false]);
});

it('send the browser back below the path of the API', async () => {
  const { github } = open({
    API_URL: 'https://example.com/mail/',
    OAUTH_GITHUB_CLIENT_ID: 'id',
    OAUTH_GITHUB_CLIENT_SECRET: 'secret',
  });
  const attempt = { state: 'state', codeVerifier: 'v'.repeat(43), nonce: 'nonce' };
  const there = await github?.authorizationUrl(attempt);
  expect(there?.searchParams.get('redirect_uri')).toBe('https://example.com/mail/auth/oauth/github/callback');
});
