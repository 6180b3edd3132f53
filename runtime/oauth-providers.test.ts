import { expect, it } from 'vitest';
import { loadConfig } from '../core/config/load.ts';
import { openOAuthProviders } from './oauth-providers.ts';

it('send the browser back below the path of the API', async () => {
  const { github } = openOAuthProviders(
    loadConfig({
      APP_SECRET: 'x'.repeat(32),
      DATABASE_URL: 'postgres://p',
      API_URL: 'https://example.com/mail/',
      OAUTH_GITHUB_CLIENT_ID: 'id',
      OAUTH_GITHUB_CLIENT_SECRET: 'secret',
    }),
  );
  const attempt = { state: 'state', codeVerifier: 'v'.repeat(43), nonce: 'nonce' };
  const there = await github?.authorizationUrl(attempt);
  expect(there?.searchParams.get('redirect_uri')).toBe('https://example.com/mail/auth/oauth/github/callback');
});
