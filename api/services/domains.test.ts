import { GetEmailIdentityCommand } from '@aws-sdk/client-sesv2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkDomain } from '../../activities/domains/check-domain.ts';
import { insertDomain, listDomainRemovals } from '../../db/repositories/domains/domains.ts';
import { sql } from '../../db/sql.ts';
import { startTestSes, type TestSes } from '../../local/ses/testing/test-ses.ts';
import type { DomainIdentities } from '../../providers/domains/domain-identities.ts';
import { createSesIdentities } from '../../providers/domains/ses-identities.ts';
import { createSesAccountClient } from '../../providers/email/ses-client.ts';
import { createTestDatabase, type TestDatabase } from '../../test/setup/database.ts';
import { createTestProject } from '../../test/setup/start-test-api.ts';
import { createDomainsService, type DomainsService } from './domains.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.close());

interface Stage {
  domains: DomainsService;
  ses: TestSes;
  identities: DomainIdentities;
  projectId: string;
  otherProjectId: string;
  warnings: string[];
}

/** The service with a local SES of the test, and what the test changes of it. */
async function start(
  changes: Partial<DomainIdentities> = {},
  reserved: string | null = null,
): Promise<Stage> {
  const ses = await startTestSes({ signingKeyBits: 1024 });
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = createSesAccountClient({ region: 'us-east-1', endpoint: ses.ses.url, credentials });
  const nothing = async (records: readonly unknown[]) => records.map(() => 'missing' as const);
  const identities = createSesIdentities(client, 'us-east-1', nothing, 'here');
  const warnings: string[] = [];
  const domains = createDomainsService({
    orm: database.orm,
    identities: { ...identities, ...changes },
    reserved,
    committed: () => undefined,
    warn: (message) => warnings.push(message),
  });
  const projects = await Promise.all([createTestProject(database), createTestProject(database)]);
  const [projectId, otherProjectId] = projects.map(({ id }) => id);
  if (projectId === undefined || otherProjectId === undefined) throw new Error('There is no project');
  return { domains, ses, identities, projectId, otherProjectId, warnings };
}

const run = <Row>(text: string, parameters: unknown[] = []) =>
  sql<Row>(database.orm.em.fork(), text, parameters);
const status = async (promise: Promise<unknown>) =>
  promise.then(
    () => 'done',
    (error: { code?: string }) => error.code,
  );
const identityOf = ({ ses }: Stage, domain: string) =>
  ses.client.send(new GetEmailIdentityCommand({ EmailIdentity: domain }));
const verifyAtSes = ({ ses }: Stage, domain: string) =>
  ses.control('PUT', `/api/identities/${domain}`, { status: 'verified' });
const away = async () => {
  throw new Error('SES is away');
};

describe('adding a domain', () => {
  it('waits for the provider without a transaction, and refuses the domain to others at once meanwhile', async () => {
    const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const stage = await start({
      register: async (domain) => {
        asked.resolve();
        await gate.promise;
        return stage.identities.register(domain);
      },
    });
    const added = stage.domains.add(stage.projectId, 'slow.example');
    await asked.promise;
    const open = await run(
      `select pid from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null and backend_type = 'client backend'`,
    );
    expect(open).toEqual([]);
    expect(await status(stage.domains.add(stage.otherProjectId, 'slow.example'))).toBe('CONFLICT');
    const dueWatches = () =>
      run(`select d.domain from outbox o join domains d on d.id = o.subject_id
        where d.domain = 'slow.example' and o.kind = 'domain.verify' and o.next_attempt_at <= now()`);
    expect(await dueWatches()).toEqual([]);
    gate.resolve();
    const answer = await added;
    expect(answer).toMatchObject({ domain: 'slow.example', status: 'pending' });
    expect(answer.dkimTokens).toHaveLength(3);
    expect(await dueWatches()).toEqual([{ domain: 'slow.example' }]);
  });

  it('leaves no domain behind when the provider does not answer, and takes back what it may have made there', async () => {
    const stage = await start({
      register: async (domain) => {
        await stage.identities.register(domain);
        throw new Error('The answer got lost');
      },
    });
    expect(await status(stage.domains.add(stage.projectId, 'lost.example'))).toBe('SERVICE_UNAVAILABLE');
    expect(await stage.domains.list(stage.projectId)).toEqual([]);
    const em = database.orm.em.fork();
    const [removal] = await listDomainRemovals(em, stage.projectId);
    expect(await checkDomain(em, stage.identities, removal?.id ?? '')).toBe('gone');
    await expect(identityOf(stage, 'lost.example')).rejects.toThrow('does not exist');
    expect(await listDomainRemovals(em, stage.projectId)).toEqual([]);
  });

  it('comes to its end by the first check when the process ended in between', async () => {
    const stage = await start();
    const em = database.orm.em.fork();
    const [id, outboxId] = [crypto.randomUUID(), crypto.randomUUID()];
    await insertDomain(em, {
      id,
      projectId: stage.projectId,
      domain: 'killed.example',
      outboxId,
      delaySeconds: 120,
    });
    expect(await checkDomain(em, stage.identities, id)).toBe('verified');
    const [domain] = await stage.domains.list(stage.projectId);
    expect(domain?.dkimTokens).toHaveLength(3);
  });

  it('takes over no identity that somebody else has made at the provider', async () => {
    const stage = await start();
    await stage.ses.verify('operator.example');
    expect(await status(stage.domains.add(stage.projectId, 'operator.example'))).toBe('CONFLICT');
    expect(await stage.domains.list(stage.projectId)).toEqual([]);
    expect((await identityOf(stage, 'operator.example')).VerifiedForSendingStatus).toBe(true);
  });

  it('is refused for the domain that account emails are sent from', async () => {
    const stage = await start({}, 'accounts.example');
    expect(await status(stage.domains.add(stage.projectId, 'accounts.example'))).toBe('CONFLICT');
    expect(await status(stage.domains.add(stage.projectId, 'mail.accounts.example'))).toBe('done');
  });
});

describe('removing a domain', () => {
  it('while the provider is away: whoever adds it next has to prove it, and the rest goes later', async () => {
    const stage = await start({ remove: away });
    const em = database.orm.em.fork();
    const name = 'pending.moved.example';
    const first = await stage.domains.add(stage.projectId, name);
    await verifyAtSes(stage, name);
    expect((await stage.domains.verify(stage.projectId, first.id)).verified).toBe(true);
    await stage.domains.remove(stage.projectId, first.id);
    expect(stage.warnings).toHaveLength(1);

    const second = await stage.domains.add(stage.otherProjectId, name);
    expect(second.dkimTokens).not.toEqual(first.dkimTokens);
    expect((await stage.domains.verify(stage.otherProjectId, second.id)).verified).toBe(false);

    await expect(checkDomain(em, { ...stage.identities, remove: away }, first.id)).rejects.toThrow('away');
    expect(await listDomainRemovals(em, stage.projectId)).toEqual([{ id: first.id, domain: name }]);
    expect(await checkDomain(em, stage.identities, first.id)).toBe('gone');
    expect(await listDomainRemovals(em, stage.projectId)).toEqual([]);
    // That of the domain that was added meanwhile stays.
    expect((await identityOf(stage, name)).DkimAttributes?.Tokens).toEqual(second.dkimTokens);
  });

  it('while it is being checked leaves no identity behind', async () => {
    const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const stage = await start();
    const em = database.orm.em.fork();
    const { id } = await stage.domains.add(stage.projectId, 'checked.example');
    const checked = checkDomain(
      em,
      {
        ...stage.identities,
        check: async (domain, tokens) => {
          asked.resolve();
          await gate.promise;
          return stage.identities.check(domain, tokens);
        },
      },
      id,
    );
    await asked.promise;
    await stage.domains.remove(stage.projectId, id);
    gate.resolve();
    expect(await checked).toBe('gone');
    await expect(identityOf(stage, 'checked.example')).rejects.toThrow('does not exist');
  });
});
