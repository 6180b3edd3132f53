import { $api, apiUrl } from '../../api/client.ts';

const names = { google: 'Google', github: 'GitHub' } as const;

/** Sign-in with the configured OAuth providers, by redirects through the API. */
export function ProviderLinks() {
  const { data } = $api.useQuery('get', '/auth/oauth-config');
  const providers = (['google', 'github'] as const).filter((provider) => data?.[provider]);
  return providers.map((provider) => (
    <a
      key={provider}
      href={new URL(`auth/oauth/${provider}`, apiUrl).href}
      className="mt-3 flex h-8 items-center justify-center rounded-md border border-line-strong font-medium hover:bg-hover"
    >
      Continue with {names[provider]}
    </a>
  ));
}
