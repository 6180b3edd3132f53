const awsHost = /^sns\.[a-z0-9-]{3,}\.amazonaws\.com(\.cn)?$/;

/**
 * Whether an address that stands in a message may be visited: HTTPS at a regional host of Amazon SNS, without
 * credentials and port, or the local SES.
 *
 * @param address any absolute URL
 * @param localHost `host:port` of the local SES, which speaks plain HTTP
 */
export function isProviderAddress(address: string, localHost: string | undefined): boolean {
  const url = new URL(address);
  if (url.username !== '' || url.password !== '') return false;
  if (localHost !== undefined && url.protocol === 'http:' && url.host === localHost) return true;
  return url.protocol === 'https:' && url.port === '' && awsHost.test(url.hostname);
}

/**
 * Whether a certificate may be fetched from an address: a `.pem` file of the provider, and nothing that could
 * make the address an API call.
 */
export function isCertificateAddress(address: string, localHost: string | undefined): boolean {
  const { pathname, search, hash } = new URL(address);
  return isProviderAddress(address, localHost) && pathname.endsWith('.pem') && search === '' && hash === '';
}
