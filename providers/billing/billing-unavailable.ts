/** The payment processor did not answer or refused the call; a retry may succeed. */
export class BillingUnavailable extends Error {
  override readonly name = 'BillingUnavailable';
}
