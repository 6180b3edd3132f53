export const maxLogoUrlLength = 2000;

const hostName = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/;
const loopback = new Set(['localhost', '127.0.0.1']);

/**
 * The address of an image that a page may load, or undefined: https without credentials, or http on this machine, which
 * serves the uploads of a local installation. The host has letters, digits, dots and hyphens only, so that it can be a
 * source in a Content-Security-Policy.
 */
export function parseLogoUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !hostName.test(url.hostname) || url.username !== '' || url.password !== '')
    return undefined;
  const isAllowed = url.protocol === 'https:' || (url.protocol === 'http:' && loopback.has(url.hostname));
  return isAllowed && url.href.length <= maxLogoUrlLength ? url.href : undefined;
}
