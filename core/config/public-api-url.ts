import type { Config } from './schema.ts';

/** Public address of the API without a slash at the end. */
export function publicApiUrl(config: Pick<Config, 'API_URL' | 'HOST' | 'PORT'>): string {
  return (config.API_URL ?? `http://${config.HOST}:${config.PORT}`).replace(/\/+$/, '');
}
