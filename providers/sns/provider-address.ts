const awsHost = /^sns\.[a-z0-9-]{3,}\.amazonaws\.com(\.cn)?$/;

/**
 * True for an address that may be called: HTTPS at a regional SNS host, without credentials or port, or the local SES.
 *
 * @param address any absolute URL
 * @param localHost `host:port` of the local SES, which uses plain HTTP
 */
export function isProviderAddress(address: string, localHost: string | undefined): boolean {
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') return false;
  if (localHost !== undefined && url.protocol === 'http:' && url.host === localHost) return true;
  return url.protocol === 'https:' && url.port === '' && awsHost.test(url.hostname);
}

/** True for a `.pem` file of the provider; a query or fragment could turn the address into an API call. */
export function isCertificateAddress(address: string, localHost: string | undefined): boolean {
  const { pathname, search, hash } = new URL(address);
  return isProviderAddress(address, localHost) && pathname.endsWith('.pem') && search === '' && hash === '';
}
