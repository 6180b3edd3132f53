import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { newId } from '../../core/new-id.ts';
import { Workflow } from '../../db/entities/workflow.ts';
import { createOrm, type Orm } from '../../db/orm.ts';
import { trackEvents } from '../../db/statements/events/track-events.ts';
import type { DomainIdentities } from '../../providers/domains/domain-identities.ts';
import { insertDraft } from '../../test/setup/campaigns.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { testFixture } from '../../test/setup/fixtures.ts';
import { trackInput } from '../../test/setup/inputs.ts';
import { insertDomain, useProject } from '../../test/setup/projects.ts';
import { where } from '../../test/setup/segments.ts';
import { createTestProject, startTestApi } from '../../test/setup/start-test-api.ts';
import { startTcpRelay, type TcpRelay } from '../../test/setup/tcp-relay.ts';
import { createSessionTokens } from '../access/session-tokens.ts';
import { cancelCampaign, sendCampaign } from '../routes/campaigns.ts';
import { duplicateWorkflow } from '../routes/workflow-overview.ts';
import { createWorkflow, getWorkflow } from '../routes/workflows.ts';
import { createAccountLinksService } from './account-links.ts';
import { createAccountsService } from './accounts.ts';
import { createCampaignSendingService } from './campaign-sending.ts';
import { createCampaignsService } from './campaigns.ts';
import { createContactFieldsService } from './contact-fields.ts';
import { createContactsService } from './contacts.ts';
import { createDomainsService } from './domains.ts';
import { createEventsService } from './events.ts';
import { takeInImport } from './import-intake.ts';
import { createLinkRequestsService } from './link-requests.ts';
import { createOneTimeLinks } from './one-time-links.ts';
import { createPasswords } from './passwords.ts';
import { createProjectErasureService } from './project-erasure.ts';
import { createProjectPlaces, type ProjectPlaces } from './project-places.ts';
import type { RecordedNames } from './recorded-names.ts';
import { createSegmentsService } from './segments.ts';
import { createSessionsService } from './sessions.ts';
import { createSignInGuard } from './sign-in-guard.ts';
import { createTemplateTurns } from './template-turns.ts';
import { createTemporalRuns } from './temporal-runs.ts';
import { createWorkflowsService } from './workflows.ts';

const database = useTestDatabase();
const project = useProject(database.em);
const writes = createProjectPlaces(0);
const stage = testFixture(
  async () => {
    const url = new URL(database.url);
    const line = await startTcpRelay([Number(url.port)]);
    url.host = `127.0.0.1:${line.port}`;
    return { line, orm: createOrm({ url: url.href, poolSize: 2, warn: () => undefined }) };
  },
  ({ orm }: { line: TcpRelay; orm: Orm }) => orm.close(),
);

describe('what is saved when Postgres goes away before it is counted', () => {
  const heavyReads: ProjectPlaces = {
    ...writes,
    async runSoon(_projectId, count) {
      await stage.line.close();
      return count();
    },
  };
  const namesIn = async (table: 'campaigns' | 'segments') =>
    (
      await database.sql<{ name: string }>(`select name from ${table} where project_id = $1`, [project.id])
    ).map(({ name }) => name);

  it('is answered: a campaign', async () => {
    const id = await insertDraft(database.em(), project.id);
    const campaigns = createCampaignsService(stage.orm, createTemplateTurns(), { writes, heavyReads });
    const { campaign, counters } = await campaigns.duplicate(project.id, id);
    expect(await namesIn('campaigns')).toContain(campaign.name);
    expect(counters).toMatchObject({ sent: 0, opened: 0 });
  });

  it('is answered: a segment', async () => {
    const { name } = await createSegmentsService(stage.orm, heavyReads, writes).create(project.id, {
      name: 'Clients',
      type: 'DYNAMIC',
      condition: where({ field: 'email', operator: 'contains', value: '@example.com' }),
      trackMembership: false,
    });
    expect(await namesIn('segments')).toEqual([name]);
  });
});

it('an import keeps its file if the answer to its commit is lost', async () => {
  const loseAnswer = () => {
    throw new Error('Connection terminated unexpectedly');
  };
  stage.orm.em.getEventManager().registerSubscriber({ afterTransactionCommit: loseAnswer });
  const bytes = Readable.from([Buffer.from('email\nada@example.com\n')]);
  const importing = takeInImport(stage.orm, project.id, { bytes, fields: new Map() });
  await expect(importing).rejects.toThrow('Connection terminated');
  const saved = `select from jobs join job_chunks on job_id = jobs.id where project_id = $1`;
  expect(await database.sql(saved, [project.id])).toHaveLength(1);
});

/** Postgres goes away right after the commit of this batch of long work. */
const cutOffAfter = (lastBatch: number): ProjectPlaces => {
  let batches = 0;
  return {
    ...writes,
    inBatches: () => async (batch) => {
      const result = await batch();
      batches += 1;
      if (batches === lastBatch) stage.line.cutOff();
      return result;
    },
  };
};

/** From now on, the next transaction is the last: Postgres goes away right after its commit. */
const leaveAfterCommit = () =>
  stage.orm.em.getEventManager().registerSubscriber({ afterTransactionCommit: () => stage.line.cutOff() });

describe('what is saved when Postgres goes away right after the commit', () => {
  const api = testFixture(
    async () => {
      const turns = createTemplateTurns();
      const services = {
        workflows: createWorkflowsService(stage.orm, turns),
        campaignSending: createCampaignSendingService(
          stage.orm,
          { writes, heavyReads: writes },
          () => undefined,
        ),
        temporalRuns: createTemporalRuns(null),
      };
      const routes = [createWorkflow, duplicateWorkflow, getWorkflow, sendCampaign, cancelCampaign];
      const { request, close } = await startTestApi({ database, routes, services });
      const { id, secretKey: key } = await createTestProject(database);
      return { id, close, post: (path: string, body = {}) => request(path, { key, body }) };
    },
    ({ close }) => close(),
  );

  it.each(['a workflow', 'a copy of a workflow'])('is answered: %s', async (what) => {
    const workflow = { name: 'Welcome', eventName: 'signed up' };
    const first = await api.post('/workflows', workflow);
    leaveAfterCommit();
    const saved = await (what === 'a workflow'
      ? api.post('/workflows', workflow)
      : api.post(`/workflows/${first.body.id}/duplicate`));
    expect(saved.status).toBe(201);
    const { createdAt, updatedAt } = await database.em().findOneOrFail(Workflow, saved.body.id, {
      filters: false,
    });
    expect(saved.body).toMatchObject({
      version: 1,
      createdAt: createdAt.toISOString(),
      updatedAt: updatedAt.toISOString(),
      steps: [{ type: 'TRIGGER', config: { eventName: 'signed up' } }],
    });
  });

  it.each([
    ['sent', '/send', {}, 'SENDING'],
    ['scheduled', '/send', { scheduledFor: '2099-01-01T00:00:00Z' }, 'SCHEDULED'],
    ['cancelled', '/cancel', {}, 'CANCELLED'],
  ])('is answered: a campaign that is %s', async (_what, path, body, status) => {
    const id = await insertDraft(database.em(), api.id);
    leaveAfterCommit();
    const answer = await api.post(`/campaigns/${id}${path}`, body);
    expect(answer).toMatchObject({ status: 200, body: { data: { id, status, sentCount: 0 } } });
  });

  it('is answered: the reset of a project', async () => {
    const [owner] = await database.sql<{ id: string }>(
      `insert into users (id, email) values ($1, $2) returning id`,
      [newId(), `${project.id}@example.com`],
    );
    await database.sql(`insert into memberships (project_id, user_id, role) values ($1, $2, 'OWNER')`, [
      project.id,
      owner?.id,
    ]);
    const erasure = createProjectErasureService({
      orm: stage.orm,
      projectKeys: { forget: () => undefined },
      committed: () => stage.line.cutOff(),
      waitMs: 300,
    });
    const reset = await erasure.reset(owner?.id ?? '', project.id, 'Project');
    expect(reset).toMatchObject({ projectId: project.id });
    expect(reset.isErased()).toBe(false);
  });

  const domainsWith = (identities: Partial<DomainIdentities>) =>
    createDomainsService({
      orm: stage.orm,
      // as: the test calls nothing else.
      identities: identities as DomainIdentities,
      domainsPerProject: 0,
      reserved: null,
      committed: () => undefined,
      warn: () => undefined,
    });

  it('is answered: a domain', async () => {
    const register = async () => {
      stage.line.cutOff();
      return { dkimTokens: ['abc'] };
    };
    const added = await domainsWith({ register }).add(project.id, 'shop.example');
    expect(added).toMatchObject({ domain: 'shop.example', status: 'pending', dkimTokens: ['abc'] });
    expect(await database.sql('select domain from domains where id = $1', [added.id])).toHaveLength(1);
  });

  it('is answered: the removal of a domain, whose identity is left to a background check', async () => {
    await insertDomain(database.em(), project.id);
    const remaining = () =>
      database.sql<{ id: string }>('select id from domains where project_id = $1', [project.id]);
    const [domain] = await remaining();
    leaveAfterCommit();
    await domainsWith({}).remove(project.id, domain?.id ?? '');
    expect(await remaining()).toEqual([]);
  });

  it('is answered: the deletion of a field', async () => {
    await database.sql(`insert into contact_fields (project_id, key, type) values ($1, 'plan', 'string')`, [
      project.id,
    ]);
    await database.sql(
      `insert into contacts (id, project_id, email, data) values (uuidv7(), $1, 'a@example.com', '{"plan": "x"}')`,
      [project.id],
    );
    // The type, then the contacts.
    const heavyReads = cutOffAfter(2);
    expect(await createContactFieldsService(stage.orm, heavyReads).remove(project.id, 'plan')).toBe(1);
  });

  it('is answered: the deletion of events, which a workflow completes', async () => {
    const input = trackInput(project.id, 'ada@example.com', { eventName: 'signed up' });
    await trackEvents(database.em(), [input]);
    // The record of the deletion, events of contacts, other events.
    const events = createEventsService(stage.orm, cutOffAfter(3), () => undefined);
    expect(await events.remove(project.id, 'signed up')).toBe(1);
    const waiting = `select from outbox where project_id = $1 and kind = 'events.delete'`;
    expect(await database.sql(waiting, [project.id])).toHaveLength(1);
  });

  it('is answered: a contact', async () => {
    const recordedNames: Pick<RecordedNames, 'write'> = {
      async write(_names, run) {
        const result = await run(stage.orm.em.fork());
        stage.line.cutOff();
        return result;
      },
    };
    // as: it is used for nothing else.
    const contacts = createContactsService(
      stage.orm,
      recordedNames as RecordedNames,
      writes,
      () => undefined,
    );
    const data = { set: { plan: 'pro' }, remove: [], transient: {}, eventData: {} };
    const upserted = await contacts.upsert(project.id, { email: 'bob@example.com', subscribed: true, data });
    expect(upserted).toMatchObject({
      isNew: true,
      contact: { email: 'bob@example.com', data: { plan: 'pro' } },
    });
  });

  it('is answered: an account, whose session and promised link are saved with it', async () => {
    const guard = createSignInGuard({ orm: stage.orm, key: Buffer.alloc(32), limit: 0 });
    const tokens = createSessionTokens(Buffer.alloc(32));
    const oneTimeLinks = createOneTimeLinks({
      from: { email: 'service@example.com', name: 'Service' },
      siteUrl: 'https://example.com',
      tokenKey: Buffer.alloc(32),
      linkKey: Buffer.alloc(32),
    });
    const passwords = createPasswords();
    const sessions = createSessionsService({ orm: stage.orm, tokens, guard });
    const shared = { orm: stage.orm, oneTimeLinks, passwords, sessions, guard };
    const accountLinks = createAccountLinksService(shared);
    const linkMailer = { wake: () => undefined };
    const linkRequests = createLinkRequestsService({ ...shared, linkMailer });
    const accounts = createAccountsService({ ...shared, accountLinks, linkRequests, signupEnabled: true });
    const email = 'ada@example.com';
    leaveAfterCommit();
    const client = { devices: [], address: '192.0.2.1', userAgent: undefined };
    const signedUp = await accounts.signUp({ email, password: 'a long pass phrase' }, client);
    expect(signedUp.user.email).toBe(email);
    const found = await database.sql<{ id: string }>(
      'select s.id from users u join sessions s on s.user_id = u.id where u.email = $1',
      [email],
    );
    expect(found).toEqual([{ id: tokens.read([signedUp.session])?.id }]);
    const promised = await database.sql('select purpose, language from link_requests where email = $1', [
      email,
    ]);
    expect(promised).toEqual([{ purpose: 'verify-email', language: 'en' }]);
  });
});
