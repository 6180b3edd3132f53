import { type DashboardSettings, dashboardUrl } from './dashboard-url.ts';
import { publicApiUrl } from './public-api-url.ts';

export const returnPages = ['signed-in', 'checkout-success', 'checkout-cancelled', 'billing-portal'] as const;
export type ReturnPage = (typeof returnPages)[number];

export interface SitePages {
  signedIn: string;
  /** Null without a dashboard. */
  signIn: string | null;
  billing(projectId: string, checkout?: 'success' | 'cancelled'): string;
  /** Null without a dashboard: no other page shows it. */
  security(projectId: string): string | null;
}

export function sitePages(config: DashboardSettings): SitePages {
  const dashboard = dashboardUrl(config);
  if (dashboard === undefined) {
    const page = (name: ReturnPage) => `${publicApiUrl(config)}/return/${name}`;
    return {
      signedIn: page('signed-in'),
      signIn: null,
      billing: (_, checkout) => page(checkout === undefined ? 'billing-portal' : `checkout-${checkout}`),
      security: () => null,
    };
  }
  return {
    signedIn: `${dashboard}/`,
    signIn: `${dashboard}/sign-in`,
    billing: (projectId, checkout) =>
      `${dashboard}/projects/${projectId}/billing${checkout === undefined ? '' : `?checkout=${checkout}`}`,
    security: (projectId) => `${dashboard}/projects/${projectId}/security`,
  };
}
