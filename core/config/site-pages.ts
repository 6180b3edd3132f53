import { publicApiUrl } from './public-api-url.ts';
import type { Config } from './schema.ts';

/** Pages of the API for whoever comes back from elsewhere, where there is no dashboard. */
export const returnPages = ['signed-in', 'checkout-success', 'checkout-cancelled', 'billing-portal'] as const;
export type ReturnPage = (typeof returnPages)[number];

/** Addresses that browsers are led to: of the dashboard, or of pages of the API where there is none. */
export interface SitePages {
  signedIn: string;
  billing(projectId: string, checkout?: 'success' | 'cancelled'): string;
  /** Null without a dashboard: nothing else shows it to people. */
  security(projectId: string): string | null;
}

export function sitePages(config: Pick<Config, 'DASHBOARD_URL' | 'API_URL' | 'HOST' | 'PORT'>): SitePages {
  const dashboard = config.DASHBOARD_URL?.replace(/\/+$/, '');
  if (dashboard === undefined) {
    const page = (name: ReturnPage) => `${publicApiUrl(config)}/return/${name}`;
    return {
      signedIn: page('signed-in'),
      billing: (_, checkout) => page(checkout === undefined ? 'billing-portal' : `checkout-${checkout}`),
      security: () => null,
    };
  }
  return {
    signedIn: `${dashboard}/`,
    billing: (projectId, checkout) =>
      `${dashboard}/projects/${projectId}/billing${checkout === undefined ? '' : `?checkout=${checkout}`}`,
    security: (projectId) => `${dashboard}/projects/${projectId}/security`,
  };
}
