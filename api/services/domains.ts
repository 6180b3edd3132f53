import { v7 as uuidv7 } from 'uuid';
import { DomainError, notFound } from '../../core/errors.ts';
import { brokenConstraint } from '../../db/batching/is-rolled-back.ts';
import type { DomainRow } from '../../db/entities/domain.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { holdProject } from '../../db/repositories/accounts/memberships.ts';
import { findCampaignsOfDomain } from '../../db/repositories/campaigns/campaign-records.ts';
import {
  countDomains,
  deleteDomain,
  findDomain,
  findEarlierClaim,
  insertDomain,
  isClaimed,
  listDomains,
  lockDomain,
  recordDomainCheck,
  storeDkimTokens,
} from '../../db/repositories/domains/domains.ts';
import { findTemplatesOfDomain } from '../../db/repositories/templates/templates.ts';
import { type DomainIdentities, ForeignIdentity } from '../../providers/domains/domain-identities.ts';
import { type DomainAnswer, presentDomain } from '../presenters/domain.ts';

export interface DomainsService {
  list(projectId: string): Promise<DomainAnswer[]>;
  /**
   * Adds a domain that the project then has to prove; others may do the same until one has.
   * @throws DomainError `CONFLICT` when a project has proven the domain, this one has added it or as many as it may have, or the provider has it
   *   from elsewhere; `SERVICE_UNAVAILABLE` without the provider
   */
  add(projectId: string, domain: string): Promise<DomainAnswer>;
  /**
   * Checks right now.
   * @throws DomainError `NOT_FOUND`, `CONFLICT` when another project was first to prove it, `SERVICE_UNAVAILABLE`
   */
  verify(projectId: string, id: string): Promise<DomainAnswer>;
  /** @throws DomainError `NOT_FOUND`, `CONFLICT` while something sends from it, which `details` names */
  remove(projectId: string, id: string): Promise<void>;
}

/** Most uses of a domain that a refusal names. */
const mostNamedUses = 20;

/** The background takes over when the call that adds a domain has not come to its end after this time. */
const callSeconds = 120;

export interface DomainsServiceOptions {
  orm: Orm;
  identities: DomainIdentities;
  /** Domains that a project may have; 0 = no bound. */
  domainsPerProject: number;
  /** A domain that no project may add; null: none. */
  reserved: string | null;
  /** Called after a commit that left a command for Temporal. */
  committed: () => void;
  warn: (message: string, error: unknown) => void;
}

async function askProvider<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call;
  } catch (cause) {
    if (cause instanceof ForeignIdentity) {
      throw new DomainError(
        'CONFLICT',
        'The email provider has this domain already, and not from this service',
        {
          suggestion:
            'The operator of this service can delete the identity at the provider; then add the domain again.',
          cause,
        },
      );
    }
    throw new DomainError(
      'SERVICE_UNAVAILABLE',
      'The email provider or DNS did not answer; try again in a moment',
      { cause },
    );
  }
}

/** @throws DomainError `CONFLICT` with `details.templates` and `details.campaigns` */
async function requireUnused(em: Em, projectId: string, domain: string): Promise<void> {
  const uses = {
    templates: await findTemplatesOfDomain(em, projectId, domain, mostNamedUses),
    campaigns: await findCampaignsOfDomain(em, projectId, domain, mostNamedUses),
  };
  const found = Object.entries(uses).filter(([, users]) => users.length > 0);
  if (found.length === 0) return;
  const kinds = found.map(([kind]) => kind).join(' and ');
  throw new DomainError('CONFLICT', `The domain ${domain} can't be removed while ${kinds} send from it`, {
    details: Object.fromEntries(found),
    suggestion: 'Delete what `details` lists, or give it another sender address first.',
  });
}

/** @throws DomainError `CONFLICT` */
async function requireRoom(em: Em, projectId: string, limit: number): Promise<void> {
  if (limit === 0 || (await countDomains(em, projectId)) < limit) return;
  throw new DomainError('CONFLICT', `The project has ${limit} domains, and may have no more`, {
    details: { limit },
    suggestion: 'Remove one first, or ask whoever runs this service to raise DOMAINS_PER_PROJECT.',
  });
}

function takenByAnother(domain: string): DomainError {
  return new DomainError('CONFLICT', `The domain ${domain} is verified for another project`, {
    suggestion:
      'A domain belongs to one project. Remove it there, or take the TXT record of that project out of DNS.',
  });
}

/** Sender domains of a project, kept in step with the provider's identities. */
export function createDomainsService(options: DomainsServiceOptions): DomainsService {
  const { orm, identities, domainsPerProject } = options;
  const present = (row: DomainRow) => presentDomain(row, identities.wantedRecords(row, row.dkimTokens));
  const require = async (projectId: string, id: string) => {
    const row = await findDomain(orm.em.fork(), id, projectId);
    if (row === undefined) throw notFound('Domain');
    return row;
  };

  /** @throws DomainError `CONFLICT` */
  async function requireFree(em: Em, projectId: string, domain: string): Promise<void> {
    let claim = await findEarlierClaim(em, projectId, domain);
    if (claim?.status === 'pending') {
      // Its first check has not run yet, and comes before what is added now.
      const { id, dkimTokens } = claim;
      claim = await identities
        .check(claim, dkimTokens)
        .then((check) => recordDomainCheck(em, id, check))
        .catch((error) => {
          options.warn('A domain could not be checked', error);
          return undefined;
        });
    }
    if (claim?.status === 'verified') throw takenByAnother(domain);
  }

  return {
    list: async (projectId) => (await listDomains(orm.em.fork(), projectId)).map(present),

    async add(projectId, domain) {
      if (domain === options.reserved) {
        throw new DomainError('CONFLICT', `The emails about accounts are sent from the domain ${domain}`, {
          suggestion:
            'The operator of this service can add it to a project while ACCOUNT_EMAIL_FROM is not set.',
        });
      }
      const em = orm.em.fork();
      const [id, outboxId] = [uuidv7(), uuidv7()];
      await requireFree(em, projectId, domain);
      try {
        await em.transactional(async (adding) => {
          // Of calls at once no more pass than may.
          await holdProject(adding, projectId);
          await requireRoom(adding, projectId, domainsPerProject);
          await insertDomain(adding, { id, projectId, domain, outboxId, delaySeconds: callSeconds });
        });
      } catch (error) {
        if (brokenConstraint(error) !== 'domains_project_domain') throw error;
        throw new DomainError('CONFLICT', `The project has the domain ${domain} already`);
      }
      // No transaction waits for the provider. If this process ends here, the first check registers the domain.
      const { dkimTokens } = await askProvider(identities.register({ id, domain })).catch(async (error) => {
        await deleteDomain(em, id, projectId);
        throw error;
      });
      const row = await storeDkimTokens(em, id, dkimTokens, outboxId);
      if (row === undefined) throw notFound('Domain');
      options.committed();
      return present(row);
    },

    async verify(projectId, id) {
      const row = await require(projectId, id);
      const check = await askProvider(identities.check(row, row.dkimTokens));
      const checked = await recordDomainCheck(orm.em.fork(), id, check);
      if (checked === undefined) throw notFound('Domain');
      if (check.verified && checked.status === 'pending') throw takenByAnother(row.domain);
      return present(checked);
    },

    async remove(projectId, id) {
      const domain = await orm.em.fork().transactional(async (em) => {
        const locked = await lockDomain(em, id, projectId);
        if (locked === undefined) throw notFound('Domain');
        // Only now, in a statement of its own: it sees what those have written who held the domain before.
        await requireUnused(em, projectId, locked);
        await deleteDomain(em, id, projectId);
        return locked;
      });
      if (await isClaimed(orm.em.fork(), domain)) return;
      await identities
        .remove(domain)
        .catch((error) => options.warn('An identity stays at the provider until the next check', error));
    },
  };
}
