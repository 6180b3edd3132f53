import { GetEmailIdentityCommand } from '@aws-sdk/client-sesv2';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Domain, DomainRemoval } from '../../db/entities/domain.ts';
import { startTestSes, type TestSes } from '../../local/ses/testing/test-ses.ts';
import type { RecordLookup } from '../../providers/domains/dns-lookup.ts';
import type { DomainIdentities } from '../../providers/domains/domain-identities.ts';
import { createSesIdentities } from '../../providers/domains/ses-identities.ts';
import { createSesAccountClient } from '../../providers/email/ses-client.ts';
import { checkDomain } from '../../temporal/activities/domains/check-domain.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { createTestProject } from '../../test/setup/start-test-api.ts';
import { createDomainsService, type DomainsService } from './domains.ts';

const database = useTestDatabase();
const { em, sql } = database;

interface Stage {
  domains: DomainsService;
  ses: TestSes;
  identities: DomainIdentities;
  projectId: string;
  otherProjectId: string;
  warnings: string[];
  /** Puts the TXT record of a project's domain into DNS. */
  prove(domain: Domain): void;
}

/** The service with the test's own local SES, and the options that the test changes. */
async function start(
  changes: Partial<DomainIdentities> = {},
  reserved: string | null = null,
): Promise<Stage> {
  const ses = await startTestSes();
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = createSesAccountClient({ region: 'us-east-1', endpoint: ses.ses.url, credentials });
  const proofs = new Set<string>();
  const lookup: RecordLookup = async (records) =>
    records.map(({ value }) => (proofs.has(value) ? 'found' : 'missing'));
  const identities = createSesIdentities(
    client,
    { region: 'us-east-1', isReceiving: false },
    lookup,
    'here',
    Buffer.alloc(32),
  );
  const warnings: string[] = [];
  const domains = createDomainsService({
    orm: database.orm,
    identities: { ...identities, ...changes },
    reserved,
    domainsPerProject: 5,
    committed: () => undefined,
    warn: (message) => warnings.push(message),
  });
  const projects = await Promise.all([createTestProject(database), createTestProject(database)]);
  const [projectId, otherProjectId] = projects.map(({ id }) => id);
  if (projectId === undefined || otherProjectId === undefined) throw new Error('There is no project');
  const prove = (domain: Domain) => {
    const records = domains.recordsOf(domain);
    proofs.add(records.find(({ purpose }) => purpose === 'OWNERSHIP')?.value ?? '');
  };
  return { domains, ses, identities, projectId, otherProjectId, warnings, prove };
}

const removalsOf = async (projectId: string) => {
  const removals = await em().find(DomainRemoval, { projectId });
  return removals.map(({ id, domain }) => ({ id, domain }));
};
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
  it('waits for the provider without a transaction', async () => {
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
    const open = await sql(
      `select pid from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null and backend_type = 'client backend'`,
    );
    expect(open).toEqual([]);
    const dueWatches = () =>
      sql(`select d.domain from outbox o join domains d on d.id = o.subject_id
        where d.domain = 'slow.example' and o.kind = 'domain.verify' and o.next_attempt_at <= now()`);
    expect(await dueWatches()).toEqual([]);
    gate.resolve();
    const answer = await added;
    expect(answer).toMatchObject({ domain: 'slow.example', status: 'pending' });
    expect(answer.dkimTokens).toHaveLength(3);
    expect(await dueWatches()).toEqual([{ domain: 'slow.example' }]);
  });

  it('starts its checks at once, even when the clock of the API is ahead of the database', async () => {
    onTestFinished(() => void vi.useRealTimers());
    const stage = await start({
      register(domain) {
        // Only after the ids are made: they follow the latest time that they have seen.
        vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 300_000 });
        return stage.identities.register(domain);
      },
    });
    const { id } = await stage.domains.add(stage.projectId, 'ahead.example');
    expect(
      await sql('select kind from outbox where subject_id = $1 and next_attempt_at <= now()', [id]),
    ).toEqual([{ kind: 'domain.verify' }]);
  });

  it('leaves no domain behind when the provider does not answer, and removes what it may have created there', async () => {
    const stage = await start({
      register: async (domain) => {
        await stage.identities.register(domain);
        throw new Error('The answer got lost');
      },
    });
    // The pause tells the edge that the Idempotency-Key is free again.
    const refusal = { code: 'SERVICE_UNAVAILABLE', retryAfterSeconds: 5 };
    await expect(stage.domains.add(stage.projectId, 'lost.example')).rejects.toMatchObject(refusal);
    expect(await stage.domains.list(stage.projectId)).toEqual([]);
    const [removal] = await removalsOf(stage.projectId);
    expect(await checkDomain(em(), stage.identities, removal?.id ?? '')).toBe('gone');
    await expect(identityOf(stage, 'lost.example')).rejects.toThrow('does not exist');
    expect(await removalsOf(stage.projectId)).toEqual([]);
  });

  it('is completed by the first check when the process ended in between', async () => {
    const stage = await start();
    const id = crypto.randomUUID();
    await em().insert(Domain, { id, projectId: stage.projectId, domain: 'killed.example' });
    expect(await checkDomain(em(), stage.identities, id)).toBe('pending');
    const [domain] = await stage.domains.list(stage.projectId);
    expect(domain?.dkimTokens).toHaveLength(3);
  });

  it('takes over no identity that somebody else has created at the provider', async () => {
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

describe('a domain that several projects have added', () => {
  it('belongs to the project that proves it, whichever came first', async () => {
    const stage = await start();
    const name = 'wanted.example';
    const squatted = await stage.domains.add(stage.projectId, name);
    const owned = await stage.domains.add(stage.otherProjectId, name);
    expect(await status(stage.domains.add(stage.otherProjectId, name))).toBe('CONFLICT');
    expect((await stage.domains.verify(stage.projectId, squatted.id)).status).toBe('pending');
    stage.prove(owned);
    expect((await stage.domains.verify(stage.otherProjectId, owned.id)).status).toBe('verified');
    expect((await stage.domains.verify(stage.projectId, squatted.id)).status).toBe('pending');
    const third = await createTestProject(database);
    expect(await status(stage.domains.add(third.id, name))).toBe('CONFLICT');
    // Giving up a claim takes nothing away from the owner.
    await stage.domains.remove(stage.projectId, squatted.id);
    expect((await stage.domains.verify(stage.otherProjectId, owned.id)).status).toBe('verified');
  });

  it('belongs to only one of two projects that prove it at once', async () => {
    const stage = await start();
    const name = 'both.example';
    const claims = [
      [stage.projectId, await stage.domains.add(stage.projectId, name)],
      [stage.otherProjectId, await stage.domains.add(stage.otherProjectId, name)],
    ] as const;
    for (const [, claim] of claims) stage.prove(claim);
    const outcomes = await Promise.all(
      claims.map(([projectId, { id }]) => status(stage.domains.verify(projectId, id))),
    );
    expect(outcomes.toSorted()).toEqual(['CONFLICT', 'done']);
    const held = await sql<{ status: string }>('select status from domains where domain = $1', [name]);
    expect(held.map((row) => row.status).toSorted()).toEqual(['pending', 'verified']);
  });

  it('is checked for the first of them before another may add it', async () => {
    const stage = await start();
    const first = await stage.domains.add(stage.projectId, 'early.example');
    stage.prove(first);
    expect(await status(stage.domains.add(stage.otherProjectId, 'early.example'))).toBe('CONFLICT');
    expect((await stage.domains.list(stage.projectId))[0]?.status).toBe('verified');
  });
});

describe('a domain that nobody proves', () => {
  const age = (id: string, days: number) =>
    sql(`update domains set created_at = now() - make_interval(days => $2) where id = $1`, [id, days]);

  it('is removed after seven days, with its identity', async () => {
    const stage = await start();
    const { id } = await stage.domains.add(stage.projectId, 'expiring.example');
    await age(id, 6);
    expect(await checkDomain(em(), stage.identities, id)).toBe('pending');
    await age(id, 8);
    expect(await checkDomain(em(), stage.identities, id)).toBe('gone');
    expect(await stage.domains.list(stage.projectId)).toEqual([]);
    expect(await removalsOf(stage.projectId)).toEqual([]);
    await expect(identityOf(stage, 'expiring.example')).rejects.toThrow('does not exist');
  });

  it('stays when it was proven once, or is proven at last', async () => {
    const stage = await start();
    const once = await stage.domains.add(stage.projectId, 'once.example');
    stage.prove(once);
    await age(once.id, 8);
    expect(await checkDomain(em(), stage.identities, once.id)).toBe('verified');
    await stage.ses.control('PUT', '/api/identities/once.example', { status: 'pending' });
    expect(await checkDomain(em(), stage.identities, once.id)).toBe('pending');
    expect(await checkDomain(em(), stage.identities, once.id)).toBe('pending');
  });
});

it('a domain that was verified before there were TXT records needs one once it is pending again', async () => {
  const stage = await start();
  const { id } = await stage.domains.add(stage.projectId, 'before.example');
  await sql(
    `update domains set status = 'verified', needs_proof = false, verified_at = now() where id = $1`,
    [id],
  );
  const isVerified = async () => (await stage.domains.verify(stage.projectId, id)).status === 'verified';
  expect(await isVerified()).toBe(true);
  await stage.ses.control('PUT', '/api/identities/before.example', { status: 'pending' });
  expect(await isVerified()).toBe(false);
  await verifyAtSes(stage, 'before.example');
  expect(await isVerified()).toBe(false);
});

it('a project never has more domains than allowed, even when they are added at once', async () => {
  const stage = await start();
  const names = Array.from({ length: 9 }, (_, index) => `bounded-${index}.example`);
  const outcomes = await Promise.all(names.map((name) => status(stage.domains.add(stage.projectId, name))));
  expect(outcomes.toSorted()).toEqual([...Array(4).fill('CONFLICT'), ...Array(5).fill('done')]);
  const [first] = await stage.domains.list(stage.projectId);
  await stage.domains.remove(stage.projectId, first?.id ?? '');
  expect(await status(stage.domains.add(stage.projectId, 'free.example'))).toBe('done');
});

describe('removing a domain', () => {
  it('while the provider is down: the next project has to prove it, and the identity is removed later', async () => {
    const stage = await start({ remove: away });
    const name = 'moved.example';
    const first = await stage.domains.add(stage.projectId, name);
    stage.prove(first);
    expect((await stage.domains.verify(stage.projectId, first.id)).status).toBe('verified');
    await stage.domains.remove(stage.projectId, first.id);
    expect(stage.warnings).toHaveLength(1);

    // SES still has it verified, and returns the same tokens.
    const second = await stage.domains.add(stage.otherProjectId, name);
    expect(second.dkimTokens).toEqual(first.dkimTokens);
    expect((await stage.domains.verify(stage.otherProjectId, second.id)).status).toBe('pending');
    const again = await stage.domains.add(stage.projectId, name);
    expect((await stage.domains.verify(stage.projectId, again.id)).status).toBe('pending');

    expect(await removalsOf(stage.projectId)).toEqual([{ id: first.id, domain: name }]);
    expect(await checkDomain(em(), stage.identities, first.id)).toBe('gone');
    expect(await removalsOf(stage.projectId)).toEqual([]);
    // The identity of the domain that was added meanwhile stays.
    expect((await identityOf(stage, name)).DkimAttributes?.Tokens).toEqual(second.dkimTokens);
  });

  it('while it is being checked leaves no identity behind', async () => {
    const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const stage = await start();
    const { id } = await stage.domains.add(stage.projectId, 'checked.example');
    const checked = checkDomain(
      em(),
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

  it('while somebody checks it tells that person so, though the provider has nothing to check any more', async () => {
    const [asked, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const check = async () => {
      asked.resolve();
      await gate.promise;
      return away();
    };
    const { domains, projectId } = await start({ check });
    const { id } = await domains.add(projectId, 'checked.example');
    const checked = status(domains.verify(projectId, id));
    await asked.promise;
    await domains.remove(projectId, id);
    gate.resolve();
    expect(await checked).toBe('NOT_FOUND');
  });
});
