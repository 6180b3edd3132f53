import { domainOfAddress } from '../../core/addresses/email-address.ts';
import { DomainError } from '../../core/errors.ts';
import { verifyAddress } from '../../core/verification/verify-address.ts';
import type { DomainFactsLookup } from '../../providers/domains/domain-facts.ts';

export function createVerifyService(lookUp: DomainFactsLookup) {
  return {
    /**
     * Contacts no mail server.
     * @param email normalized
     * @throws DomainError `SERVICE_UNAVAILABLE` when DNS does not answer
     */
    async verify(email: string) {
      const facts = await lookUp(domainOfAddress(email));
      // A wrong guess would make callers drop a valid address.
      if (facts === undefined) {
        throw new DomainError('SERVICE_UNAVAILABLE', 'DNS did not answer in time', {
          suggestion: 'Try again in a moment.',
        });
      }
      return verifyAddress(email, facts);
    },
  };
}
