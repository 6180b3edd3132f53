import { domainOfAddress } from '../../core/addresses/email-address.ts';
import { DomainError } from '../../core/errors.ts';
import { type Verification, verifyAddress } from '../../core/verification/verify-address.ts';
import type { DomainFactsLookup } from '../../providers/domains/domain-facts.ts';

export interface VerifyService {
  /**
   * Judges a normalised address.
   * @throws DomainError `SERVICE_UNAVAILABLE` when DNS does not answer
   */
  verify(email: string): Promise<Verification>;
}

/** Verification of addresses. No mail server is contacted. */
export function createVerifyService(lookUp: DomainFactsLookup): VerifyService {
  return {
    async verify(email) {
      const facts = await lookUp(domainOfAddress(email));
      // A guess would make somebody drop a good address.
      if (facts === undefined) {
        throw new DomainError('SERVICE_UNAVAILABLE', 'DNS did not answer in time for the domain', {
          suggestion: 'Ask again in a moment.',
        });
      }
      return verifyAddress(email, facts);
    },
  };
}
