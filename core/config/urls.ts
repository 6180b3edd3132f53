import type { Config } from './schema.ts';

/** `127.0.0.1:8080`, `[::1]:8080` */
export const hostAndPort = (host: string, port: number | undefined) =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;

export function publicApiUrl(config: Pick<Config, 'API_URL' | 'HOST' | 'PORT'>): string {
  return (config.API_URL ?? `http://${hostAndPort(config.HOST, config.PORT)}`).replace(/\/+$/, '');
}

export type DashboardSettings = Pick<Config, 'DASHBOARD_URL' | 'DASHBOARD_DIR' | 'API_URL' | 'HOST' | 'PORT'>;

/** Without a trailing slash; undefined when none is configured and the API has none to serve. */
export function dashboardUrl(config: DashboardSettings): string | undefined {
  const own = config.DASHBOARD_DIR === undefined ? undefined : `${publicApiUrl(config)}/app`;
  return (config.DASHBOARD_URL ?? own)?.replace(/\/+$/, '');
}

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
