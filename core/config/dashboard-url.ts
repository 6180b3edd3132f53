import { publicApiUrl } from './public-api-url.ts';
import type { Config } from './schema.ts';

export type DashboardSettings = Pick<Config, 'DASHBOARD_URL' | 'DASHBOARD_DIR' | 'API_URL' | 'HOST' | 'PORT'>;

/** Without a trailing slash; undefined when none is configured and the API has none to serve. */
export function dashboardUrl(config: DashboardSettings): string | undefined {
  const own = config.DASHBOARD_DIR === undefined ? undefined : `${publicApiUrl(config)}/app`;
  return (config.DASHBOARD_URL ?? own)?.replace(/\/+$/, '');
}
