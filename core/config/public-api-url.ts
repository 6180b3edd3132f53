import type { Config } from './schema.ts';

export function publicApiUrl(config: Pick<Config, 'API_URL' | 'HOST' | 'PORT'>): string {
  return (config.API_URL ?? `http://${config.HOST}:${config.PORT}`).replace(/\/+$/, '');
}
