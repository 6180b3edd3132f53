import { z } from 'zod';

export const optionalText = z.string().optional();
export const integer = (fallback: number, minimum = 0) =>
  z.coerce.number().int().min(minimum).default(fallback);
export const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false', '1', '0', 'on', 'off'])
    .default(fallback ? 'true' : 'false')
    .transform((value) => value === 'true' || value === '1' || value === 'on');
/** Names the protocol, because `localhost:8080` is a URL with the protocol `localhost`. */
const urlLike = (example: string, protocol: RegExp) =>
  z.url({
    protocol,
    error: ({ code }) => (code === 'invalid_format' ? `Must be a URL such as ${example}` : undefined),
  });
export const webUrl = urlLike('https://example.com', /^https?$/);
export const optionalUrl = webUrl.optional();
const encoded = 'with special characters in the password percent-encoded';
/** The driver would look up several hosts as one name. */
const severalHosts = /^\w+:\/\/[^/?#]*,[^@/?#]*(?:[/?#]|$)|[?&]host=[^&]*(?:,|%2C)/i;
export const postgresUrl = z
  .string()
  .refine((url) => !severalHosts.test(url), {
    error: 'Must name one host, which always leads to the primary: a DNS name, a virtual address or a proxy',
    abort: true,
  })
  .pipe(urlLike(`postgres://user:password@host:5432/database, ${encoded}`, /^postgres(ql)?$/));
export const smtpUrl = urlLike(`smtps://user:password@host:465, ${encoded}`, /^smtps?$/);
/** Values separated by commas. */
export const list = z
  .string()
  .default('')
  .transform((value) =>
    value
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );
