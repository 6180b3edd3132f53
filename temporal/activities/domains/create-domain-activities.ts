import type { Orm } from '../../../db/orm.ts';
import type { DomainIdentities } from '../../../providers/domains/domain-identities.ts';
import type { DomainVerificationActivities } from '../../contracts/domain-verification.ts';
import { checkDomain } from './check-domain.ts';

export interface DomainActivityDependencies {
  orm: Orm;
  identities: DomainIdentities;
}

export function createDomainActivities({
  orm,
  identities,
}: DomainActivityDependencies): DomainVerificationActivities {
  return {
    checkDomain: ({ domainId }) => checkDomain(orm.em.fork(), identities, domainId),
  };
}
