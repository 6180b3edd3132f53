import { hostAndPort } from './host-and-port.ts';
import type { Config } from './schema.ts';

export function publicApiUrl(config: Pick<Config, 'API_URL' | 'HOST' | 'PORT'>): string {
  return (config.API_URL ?? `http://${hostAndPort(config.HOST, config.PORT)}`).replace(/\/+$/, '');
}
