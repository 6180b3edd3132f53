import type { OAuthProviderName } from '../core/accounts/oauth-providers.ts';
import type { Config } from '../core/config/schema.ts';
import { publicApiUrl } from '../core/config/urls.ts';
import { createGitHubProvider } from '../providers/oauth/github.ts';
import { createGoogleProvider } from '../providers/oauth/google.ts';
import type { OAuthProvider } from '../providers/oauth/oauth-provider.ts';

export function openOAuthProviders(config: Config): Record<OAuthProviderName, OAuthProvider | null> {
  const google = clientOf(config, 'google', config.OAUTH_GOOGLE_CLIENT_ID, config.OAUTH_GOOGLE_CLIENT_SECRET);
  const github = clientOf(config, 'github', config.OAUTH_GITHUB_CLIENT_ID, config.OAUTH_GITHUB_CLIENT_SECRET);
  return {
    google: google && createGoogleProvider(config.OAUTH_GOOGLE_ISSUER, google),
    github: github && createGitHubProvider(config.OAUTH_GITHUB_URL, github),
  };
}

function clientOf(
  config: Config,
  name: OAuthProviderName,
  clientId: string | undefined,
  clientSecret: string | undefined,
) {
  if (clientId === undefined || clientSecret === undefined) return null;
  return { clientId, clientSecret, redirectUri: `${publicApiUrl(config)}/auth/oauth/${name}/callback` };
}
