import { DomainError, orNotFound } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import { unlessAway } from '../../db/database-away.ts';
import { brokenConstraint } from '../../db/database-errors.ts';
import { Campaign } from '../../db/entities/campaign.ts';
import { Domain } from '../../db/entities/domain.ts';
import { OutboxCommand } from '../../db/entities/outbox-command.ts';
import { Project } from '../../db/entities/project.ts';
import { allProjects, projectEm } from '../../db/entities/project-em.ts';
import { Template } from '../../db/entities/template.ts';
import { lockRecord } from '../../db/lock-record.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { makeCommandDue } from '../../db/statements/outbox/settle-commands.ts';
import { notifyProjectChange } from '../../db/statements/projects/notify-project-change.ts';
import { type DomainIdentities, ForeignIdentity } from '../../providers/domains/domain-identities.ts';
import { checkAtProvider, removeDomain } from '../../runtime/domain-records.ts';
import { createProjectPlaces } from './project-places.ts';

export type DomainsService = ReturnType<typeof createDomainsService>;

/** Waits for transactions that hold the domain (`holdDomain`) and blocks new ones. */
const removalLock = { mode: 'for update' } as const;

const mostNamedUses = 20;

/** After this time the background check takes over an `add` that has not finished. */
const callSeconds = 120;

/** Per project in this process: SES accepts about one such call a second, from all projects together. */
const checksAtOnce = 1;

export interface DomainsServiceOptions {
  orm: Orm;
  identities: DomainIdentities;
  /** 0 means unlimited. */
  domainsPerProject: number;
  reserved: string | null;
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
        'The email provider already has this domain, but not from this service',
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
      // Nothing is left of the call, so it also frees its Idempotency-Key.
      { cause, retryAfterSeconds: 5 },
    );
  }
}

async function requireUnused(em: Em, domain: string): Promise<void> {
  const uses = {
    templates: await em.getRepository(Template).findByDomain(domain, mostNamedUses),
    campaigns: await em.getRepository(Campaign).findByDomain(domain, mostNamedUses),
  };
  const found = Object.entries(uses).filter(([, users]) => users.length > 0);
  if (found.length === 0) return;
  const kinds = found.map(([kind]) => kind).join(' and ');
  throw new DomainError('CONFLICT', `The domain ${domain} can't be removed while ${kinds} send from it`, {
    details: Object.fromEntries(found),
    suggestion: 'Delete what `details` lists, or give it another sender address first.',
  });
}

async function requireFewDomains(em: Em, limit: number): Promise<void> {
  if (limit === 0 || (await em.count(Domain, {})) < limit) return;
  throw new DomainError('CONFLICT', `The project has ${limit} domains, the maximum`, {
    details: { limit },
    suggestion: 'Remove one first, or ask the operator of this service to raise DOMAINS_PER_PROJECT.',
  });
}

function takenByAnother(domain: string): DomainError {
  return new DomainError('CONFLICT', `The domain ${domain} is verified for another project`, {
    suggestion:
      'A domain belongs to one project. Remove it there, or take the TXT record of that project out of DNS.',
  });
}

export function createDomainsService(options: DomainsServiceOptions) {
  const { orm, identities } = options;
  const checks = createProjectPlaces(checksAtOnce, { what: 'domain checks' });

  return {
    recordsOf: (domain: Domain) => identities.wantedRecords(domain, domain.dkimTokens),

    list: (projectId: string) => projectEm(orm, projectId).getRepository(Domain).listAll(),

    /**
     * Adds an unverified domain. Other projects may add it too, until one verifies it.
     * @throws DomainError `CONFLICT` when it is verified for another project, already added or reserved, the project is
     * at its domain limit, or the provider has an identity for it that isn't ours; `SERVICE_UNAVAILABLE` when the
     * provider is down
     */
    async add(projectId: string, domain: string) {
      if (domain === options.reserved) {
        throw new DomainError('CONFLICT', `Account emails are sent from the domain ${domain}`, {
          suggestion:
            'The operator of this service can add it to a project only while ACCOUNT_EMAIL_FROM is not set.',
        });
      }
      const row = await addDomain(options, projectId, domain);
      options.committed();
      return row;
    },

    /**
     * Runs the check immediately.
     * @throws DomainError `NOT_FOUND`, `CONFLICT` when another project verified it first, `SERVICE_UNAVAILABLE`,
     * `RATE_LIMIT_EXCEEDED` when too many checks of the project wait
     */
    async verify(projectId: string, id: string) {
      const find = async () => orNotFound(await projectEm(orm, projectId).findOne(Domain, { id }), 'Domain');
      const row = await find();
      const check = () =>
        checkAtProvider(projectEm(orm, projectId), row, (domain) =>
          askProvider(identities.check(domain, domain.dkimTokens)),
        ).catch(async (error) => {
          // The identity of a domain that is removed meanwhile can't be checked.
          await find();
          throw error;
        });
      const checked = orNotFound(await checks.run(projectId, check), 'Domain');
      if (checked.check.verified && checked.domain.status === 'pending') throw takenByAnother(row.domain);
      return checked.domain;
    },

    /** @throws DomainError `NOT_FOUND`, `CONFLICT` while templates or campaigns, listed in `details`, send from it */
    async remove(projectId: string, id: string) {
      const domain = await projectEm(orm, projectId).transactional(async (em) => {
        const locked = orNotFound(await lockRecord(em, Domain, { id }, removalLock), 'Domain');
        // Checked under the lock, so that records of senders that held the domain are visible.
        await requireUnused(em, locked.domain);
        await removeDomain(em, locked);
        return locked.domain;
      });
      // The domain is removed. Without Postgres, a background check removes its identity.
      const isClaimed = await unlessAway(projectEm(orm, projectId).getRepository(Domain).isClaimed(domain));
      if (isClaimed ?? true) return;
      await identities
        .remove(domain)
        .catch((error) => options.warn('An identity stays at the provider until the next check', error));
    },
  };
}

/** Stores the DKIM tokens and starts the background checks now instead of after `callSeconds`. */
function watchRegistered(orm: Orm, id: string, dkimTokens: string[]): Promise<Domain> {
  return orm.em.fork().transactional(async (em) => {
    const domain = orNotFound(await lockRecord(em, Domain, { id }, allProjects), 'Domain');
    domain.dkimTokens = dkimTokens;
    await makeCommandDue(em, { projectId: domain.projectId, kind: 'domain.verify', subjectId: id });
    return domain;
  });
}

async function requireFree(
  options: DomainsServiceOptions,
  em: Em,
  projectId: string,
  domain: string,
): Promise<void> {
  let claim = await em.getRepository(Domain).findEarlierClaim(projectId, domain);
  if (claim?.status === 'pending') {
    // The earlier claim has not been checked yet; check it first, since it takes precedence.
    const ask = (known: Domain) => options.identities.check(known, known.dkimTokens);
    claim = await checkAtProvider(em, claim, ask)
      .then((checked) => checked?.domain ?? null)
      .catch((error) => {
        options.warn('A domain could not be checked', error);
        return null;
      });
  }
  if (claim?.status === 'verified') throw takenByAnother(domain);
}

async function addDomain(options: DomainsServiceOptions, projectId: string, domain: string): Promise<Domain> {
  const { orm, identities, domainsPerProject } = options;
  const em = projectEm(orm, projectId);
  let added: Domain;
  const id = newId();
  await requireFree(options, em, projectId, domain);
  try {
    added = await em.transactional(async (adding) => {
      // Locked, so that concurrent calls can't exceed the limit.
      orNotFound(await lockRecord(adding, Project, { id: projectId }), 'Project');
      await requireFewDomains(adding, domainsPerProject);
      const row = adding.create(Domain, { id, projectId, domain });
      adding.create(OutboxCommand, {
        kind: 'domain.verify',
        subjectId: id,
        projectId,
        nextAttemptAt: new Date(Date.now() + callSeconds * 1_000),
      });
      await notifyProjectChange(adding, projectId);
      return row;
    });
  } catch (error) {
    if (brokenConstraint(error) !== 'domains_project_domain') throw error;
    throw new DomainError('CONFLICT', `The project already has the domain ${domain}`);
  }
  // The provider is called outside any transaction. If this process dies here, the first background check
  // registers the domain.
  const { dkimTokens } = await askProvider(identities.register({ id, domain })).catch(async (error) => {
    await projectEm(orm, projectId).transactional(async (own) => {
      const refused = await lockRecord(own, Domain, { id }, removalLock);
      if (refused !== null) await removeDomain(own, refused);
    });
    throw error;
  });
  // The domain is saved. Without Postgres, the first background check stores the tokens.
  return (await unlessAway(watchRegistered(orm, id, dkimTokens))) ?? Object.assign(added, { dkimTokens });
}
