import { beforeAll, expect, it } from 'vitest';
import { parseCondition } from '../../core/conditions/parse-condition.ts';
import { insertContacts } from '../../test/setup/campaigns.ts';
import { useTestDatabase } from '../../test/setup/database.ts';
import { insertProject } from '../../test/setup/projects.ts';
import { conditionAudience } from '../conditions/audience.ts';
import { WorkflowExecution } from '../entities/workflow-execution.ts';
import type { Em } from '../orm.ts';
import { rowsRead } from '../testing/rows-read.ts';
import { countAudienceOutcome } from './campaigns/count-audience-outcome.ts';
import { listRecipients } from './campaigns/list-recipients.ts';
import { countContacts } from './contacts/count-contacts.ts';
import { listContacts } from './contacts/list-contacts.ts';
import { countSuppressions, listSuppressions } from './contacts/list-suppressions.ts';
import { readFieldValues } from './contacts/read-field-values.ts';
import { type EmailFilter, listEmails } from './emails/list-emails.ts';
import { listHistoryNames } from './events/event-names.ts';
import { listUpcoming } from './events/list-upcoming.ts';
import { countAudience, listAudience } from './segments/audience-contacts.ts';
import { countStaticMembers, listMembers } from './segments/segment-members.ts';
import { countExecutions, countSteps } from './workflows/count-executions.ts';

interface Filled {
  projectId: string;
  campaignId: string;
  segmentId: string;
  workflowId: string;
  contactId: string;
}

const neighborContacts = 20_000;
/**
 * Rows or index entries of one table that a read may touch: several for each of 20 contacts, but none of the
 * neighbors'.
 */
const mostRead = 1_000;

const database = useTestDatabase(2);
const { em, sql } = database;
let own: Filled;
beforeAll(async () => {
  await fill(neighborContacts / 2);
  own = await fill(20);
  await fill(neighborContacts / 2);
  await sql('vacuum analyze');
}, 120_000);

/** Parameters: $1 project, $2 campaign, $3 segment, $4 workflow. */
const fillings = [
  `update contacts set subscribed = false, suppression_reason = 'bounce', suppressed_at = now()
   where project_id = $1 and (data ->> 'n')::int % 5 = 0`,
  `insert into emails (id, project_id, contact_id, source, campaign_id, workflow_id, to_email, from_email, subject, status, reason, bounced_at)
   select uuidv7(), $1, c.id, source, case source when 'CAMPAIGN' then $2::uuid end,
     case source when 'WORKFLOW' then $4::uuid end, c.email, 'a@b.example', 'News', 'FAILED',
     case when (c.data ->> 'n')::int % 2 = 0 then 'it was refused' end, now()
   from contacts c, unnest(array['CAMPAIGN', 'WORKFLOW', 'TRANSACTIONAL']) source where c.project_id = $1`,
  `insert into contact_event_stats (project_id, name, contact_id, count, first_at, last_at, last_event_id)
   select $1, name, id, 1, now(), now(), uuidv7() from contacts, unnest(array['order', 'visit']) name
   where project_id = $1`,
  `insert into events (id, project_id, name, kind, contact_id, data, occurred_at)
   select uuidv7(), $1, name, 'tracked', id, '{}', now() from contacts, unnest(array['order', 'email.bounce']) name
   where project_id = $1`,
  'insert into segment_members (segment_id, contact_id) select $3, id from contacts where project_id = $1',
  `insert into workflow_executions (id, project_id, workflow_id, version, contact_id, status, only_once, visit, resume_at, event)
   select uuidv7(), $1, $4, 1, id, 'WAITING', false, 1, now() + interval '1 day', '{}' from contacts where project_id = $1`,
  `insert into workflow_step_runs (execution_id, visit, step_id, started_at)
   select id, n, workflow_id, now() from workflow_executions, generate_series(1, 2) n where project_id = $1`,
];

async function fill(contacts: number): Promise<Filled> {
  const projectId = await insertProject(em());
  await insertContacts(em(), projectId, contacts);
  const [made] = await sql<Omit<Filled, 'projectId'>>(
    `select uuidv7() as "campaignId", uuidv7() as "segmentId", uuidv7() as "workflowId",
       (select id from contacts where project_id = $1 limit 1) as "contactId"`,
    [projectId],
  );
  if (made === undefined) throw new Error('The setup returned no ids');
  const parameters = [projectId, made.campaignId, made.segmentId, made.workflowId];
  const given = 'with given as (select $1::uuid, $2::uuid, $3::uuid, $4::uuid)';
  for (const text of fillings) await sql(`${given} ${text}`, parameters);
  return { projectId, ...made };
}

type Read = (em: Em) => Promise<unknown>;

const newest = { by: 'createdAt', direction: 'desc' } as const;
const byAddress = { by: 'email', direction: 'asc' } as const;
const noFilter = { search: undefined, statuses: undefined, data: [] };
const sevens = [{ key: 'n', path: [], values: [7] }];
const page = { limit: 10, offset: 0 };
const anyEmail: EmailFilter = {
  sources: ['TRANSACTIONAL', 'CAMPAIGN', 'WORKFLOW', 'TEST'],
  status: undefined,
  contactIds: undefined,
  campaign: undefined,
  workflowId: undefined,
  recipient: undefined,
  text: undefined,
  startDate: undefined,
  endDate: undefined,
};
const bounced = { reasons: ['bounce'] as const, search: undefined };
const everybody = {
  type: 'MARKETING',
  audienceType: 'ALL',
  segmentId: null,
  audienceCondition: null,
} as const;

const emails =
  (filter: () => Partial<EmailFilter>): Read =>
  (em) =>
    listEmails(
      em,
      { projectId: own.projectId, filter: { ...anyEmail, ...filter() }, beforeId: undefined },
      51,
    );

type ContactSearch = Parameters<typeof listContacts>[1];
const contacts =
  (filter: Partial<ContactSearch['filter']>, order: ContactSearch['order'] = newest): Read =>
  (em) =>
    listContacts(
      em,
      { projectId: own.projectId, filter: { ...noFilter, ...filter }, order, after: undefined },
      51,
    );

const recipients =
  (outcome: 'failed' | 'bounced' | undefined): Read =>
  (em) =>
    listRecipients(em, {
      campaignId: own.campaignId,
      since: new Date('2026-01-01'),
      outcome,
      after: undefined,
      limit: 51,
    });

async function whoOrdered(em: Em) {
  const filter = { field: 'event.order', operator: 'triggeredWithin', value: 7 };
  const parsed = parseCondition({ logic: 'AND', groups: [{ filters: [filter] }] });
  if (!parsed.ok) throw new Error('The condition is invalid');
  return conditionAudience(em, own.projectId, parsed.condition);
}

const reads: Record<string, Read> = {
  contacts: contacts({}),
  'contacts by address': contacts({}, byAddress),
  'contacts of a status': contacts({ statuses: ['unsubscribed'] }),
  'contacts with a part of their address': contacts({ search: 'reader-7' }),
  'contacts with a value': contacts({ data: sevens }),
  'contacts with a value, by address': contacts({ data: sevens }, byAddress),
  'a count of contacts': (em) => countContacts(em, own.projectId, { ...noFilter, data: sevens }, undefined),
  'values of a field': (em) => readFieldValues(em, own.projectId, { kind: 'custom', key: 'n', path: [] }, 10),
  suppressions: (em) => listSuppressions(em, own.projectId, bounced, undefined, 51),
  'a count of suppressions': (em) => countSuppressions(em, own.projectId, bounced),
  emails: emails(() => ({})),
  'emails that failed': emails(() => ({ status: 'FAILED' })),
  'emails of a status without matches': emails(() => ({ status: 'UNKNOWN' })),
  'emails of a day': emails(() => ({
    startDate: new Date(Date.now() - 86_400_000),
    endDate: new Date(),
  })),
  'emails of a workflow': emails(() => ({ workflowId: own.workflowId })),
  'emails of a contact': emails(() => ({ contactIds: [own.contactId] })),
  'emails to part of an address': emails(() => ({ recipient: 'reader-7@' })),
  'emails with a subject without matches': emails(() => ({ text: 'nothing' })),
  recipients: recipients(undefined),
  'recipients of an outcome': recipients('failed'),
  'recipients that bounced': recipients('bounced'),
  members: (em) => listMembers(em, own.segmentId, page),
  'a count of members': (em) => countStaticMembers(em, own.segmentId),
  'an audience': async (em) => listAudience(em, own.projectId, await whoOrdered(em), page),
  'a count of an audience': async (em) => countAudience(em, own.projectId, await whoOrdered(em)),
  'what an audience gets': (em) => countAudienceOutcome(em, { projectId: own.projectId, ...everybody }),
  executions: (em) => em.getRepository(WorkflowExecution).listPage({ workflowId: own.workflowId }, page),
  'executions of a status': (em) =>
    em.getRepository(WorkflowExecution).listPage({ workflowId: own.workflowId, status: 'WAITING' }, page),
  'executions of a contact': (em) => {
    const { workflowId, contactId } = own;
    return em.getRepository(WorkflowExecution).listPage({ workflowId, contactId }, page);
  },
  'a count of executions': (em) => countExecutions(em, { workflowId: own.workflowId, status: 'WAITING' }),
  'figures of steps': (em) => countSteps(em, own.workflowId),
  'upcoming items': (em) => listUpcoming(em, own.projectId, 50),
  'names of events': (em) => listHistoryNames(em, own.projectId, 100),
};

it.each(Object.entries(reads))('%s: reads nothing of large neighbors', async (_, read) => {
  const tables = await rowsRead(database.orm.em, read);
  expect([...tables].filter(([, rows]) => rows > mostRead)).toEqual([]);
});
