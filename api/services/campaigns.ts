import { LockMode } from '@mikro-orm/core';
import {
  type CampaignAction,
  type CampaignStatus,
  campaignStatuses,
  canDo,
  statesAccepting,
  unsentStatuses,
} from '../../core/campaign-state.ts';
import { conditionReferences } from '../../core/conditions/references.ts';
import { copyName } from '../../core/copy-name.ts';
import { DomainError, orNotFound } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import { refersToCampaign } from '../../core/workflows/references.ts';
import { unlessAway } from '../../db/database-away.ts';
import { Campaign, CampaignBatch } from '../../db/entities/campaign.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { countRecipients } from '../../db/statements/campaigns/campaign-audience.ts';
import { deleteFigures } from '../../db/statements/campaigns/campaign-figures.ts';
import {
  type CountedCampaign,
  withCounters,
  withItsCounters,
  withoutEmails,
} from '../../db/statements/campaigns/read-campaign-counters.ts';
import { lockSegmentReferences } from '../../db/statements/segments/lock-segment-references.ts';
import type { CampaignBody, ListCampaignsQuery, SubjectTestBody } from '../schemas/campaigns.ts';
import { maxContentNameLength } from '../schemas/email-content.ts';
import { offsetWindow } from '../schemas/pagination.ts';
import { cancelEmails } from './cancel-emails.ts';
import { keepCounts } from './keep-counts.ts';
import { requireLiquid } from './liquid-faults.ts';
import type { ProjectPlaces } from './project-places.ts';
import { readName } from './read-name.ts';
import { findReferringConditions, findReferringWorkflows, inUse, usedBy } from './references.ts';
import { requireAudience } from './require-audience.ts';
import { requireUnchanged } from './require-unchanged.ts';
import { holdDomain, holdSenderDomain } from './sender-domains.ts';
import { splitDraft } from './subject-tests.ts';
import type { TemplateTurns } from './template-turns.ts';

export type CampaignsService = ReturnType<typeof createCampaignsService>;

const underWay = { suggestion: 'It is already under way, perhaps by another request.' };
const copyIt = { suggestion: 'POST /campaigns/{id}/duplicate makes a new draft of it.' };
const refusals: Record<CampaignAction, { participle: string; suggestion?: string }> = {
  edit: { participle: 'edited', ...copyIt },
  split: { participle: 'split', ...copyIt },
  send: { participle: 'sent', ...copyIt },
  cancel: { participle: 'cancelled' },
  delete: { participle: 'deleted', suggestion: 'Cancel it first.' },
};

/** @throws DomainError `BAD_REQUEST` (`CONFLICT` for a deletion) that names the statuses that allow the action */
export function requireAction(action: CampaignAction, { status }: { status: CampaignStatus }): void {
  if (canDo(action, status)) return;
  const { participle, ...help } = refusals[action];
  throw new DomainError(
    action === 'delete' ? 'CONFLICT' : 'BAD_REQUEST',
    `A campaign that is ${status} can't be ${participle}; it must be ${statesAccepting(action).join(' or ')}`,
    // A copy would reach everybody a second time.
    { details: { status }, ...(action === 'send' && status === 'SENDING' ? underWay : help) },
  );
}

function toFields(body: CampaignBody) {
  const { audienceType } = body;
  return {
    name: body.name,
    description: body.description || null,
    subject: body.subject,
    body: body.body,
    fromEmail: body.from,
    fromName: body.fromName || null,
    replyTo: body.replyTo || null,
    type: body.type,
    audienceType,
    // as: `requireAudience` parsed it as a condition tree.
    audienceCondition:
      audienceType === 'FILTERED' ? (body.audienceCondition as Record<string, unknown>) : null,
    segmentId: audienceType === 'SEGMENT' ? (body.segmentId ?? null) : null,
  };
}

export const findCampaign = async (em: Em, id: string, lockMode?: LockMode) =>
  orNotFound(await em.findOne(Campaign, { id }, { lockMode }), 'Campaign');

async function removeCampaign(orm: Orm, writes: ProjectPlaces, projectId: string, id: string): Promise<void> {
  const before = await findCampaign(projectEm(orm, projectId), id);
  requireAction('delete', before);
  if (before.status === 'CANCELLED') await cancelEmails(orm, writes, projectId, id);
  const remove = async (em: Em) => {
    const campaign = await findCampaign(em, id, LockMode.PESSIMISTIC_WRITE);
    requireAction('delete', campaign);
    const [open] = await em.getRepository(CampaignBatch).listOpen(id, 0, 1);
    if (open !== undefined || campaign.status !== before.status) {
      throw new DomainError('CONFLICT', 'Emails of the campaign are still being handed over or cancelled', {
        suggestion: 'Try again shortly.',
      });
    }
    await lockSegmentReferences(em, projectId);
    await requireUnused(em, projectId, id);
    // Emails stay in their contacts' history.
    em.remove(campaign);
    await em.nativeDelete(CampaignBatch, { campaignId: id });
    await deleteFigures(em, id);
  };
  await writes.run(projectId, () => projectEm(orm, projectId).transactional(remove));
}

/** Executions that follow an older version of their workflow do not count: they only read the emails, which stay. */
async function requireUnused(em: Em, projectId: string, id: string): Promise<void> {
  const uses = usedBy({
    segments: await findReferringConditions(em, projectId, 'segments', 'campaign.', (condition) =>
      conditionReferences(condition).campaigns.has(id),
    ),
    campaigns: await em.getRepository(Campaign).findReferring('campaign', id),
    workflows: await findReferringWorkflows(em, projectId, 'campaign.', (step) => refersToCampaign(step, id)),
  });
  if (Object.keys(uses).length > 0) throw inUse('The campaign is in use', uses);
}

function copyCampaign(orm: Orm, projectId: string, id: string): Promise<Campaign> {
  return projectEm(orm, projectId).transactional(async (em) => {
    const campaign = await findCampaign(em, id);
    // The segment or domain may already be gone; sending the copy would report that. These locks keep existing ones
    // while the copy is written.
    await lockSegmentReferences(em, projectId);
    await holdDomain(em, campaign.fromEmail);
    const { audienceType, audienceCondition, segmentId } = campaign;
    const content = { ...campaign.content(), name: copyName(campaign.name, maxContentNameLength) };
    return em.create(Campaign, { projectId, ...content, audienceType, audienceCondition, segmentId });
  });
}

export function createCampaignEstimates(orm: Orm, countedLive?: number) {
  return keepCounts(
    orm,
    async (campaign: Campaign) => {
      const em = projectEm(orm, campaign.projectId);
      const recipients = await countRecipients(em, campaign);
      await em.getRepository(Campaign).recordEstimate(campaign.id, recipients);
      return recipients;
    },
    ({ id, updatedAt }) => `${id} ${updatedAt.getTime()}`,
    countedLive,
  );
}

/** Methods that take an id throw DomainError `NOT_FOUND`; `list` throws `BAD_REQUEST` for an unknown status. */
export function createCampaignsService(
  orm: Orm,
  templates: TemplateTurns,
  { writes, heavyReads }: Record<'writes' | 'heavyReads', ProjectPlaces>,
) {
  const estimate = createCampaignEstimates(orm);
  const isEstimated = ({ status }: Campaign) => unsentStatuses.includes(status);

  const writeInPlace = <Written>(projectId: string, write: (em: Em) => Promise<Written>) =>
    writes.run(projectId, () => projectEm(orm, projectId).transactional(write));

  const withEstimate = async (campaign: Campaign, count: ProjectPlaces['runSoon']): Promise<Campaign> => {
    const { projectId, totalRecipients } = campaign;
    if (isEstimated(campaign)) {
      // When counting takes too long, the last estimate stays.
      const recipients = await unlessAway(count(projectId, () => estimate(campaign)));
      campaign.totalRecipients = recipients ?? totalRecipients;
    }
    return campaign;
  };
  // The campaign is already saved, so nothing refuses it: it stays without a free place and without Postgres, too.
  const written = async (campaign: Campaign): Promise<CountedCampaign> =>
    withoutEmails(await withEstimate(campaign, heavyReads.runSoon));

  return {
    async get(projectId: string, id: string) {
      const em = projectEm(orm, projectId);
      return withItsCounters(em, await withEstimate(await findCampaign(em, id), heavyReads.run));
    },

    async list(projectId: string, query: ListCampaignsQuery) {
      const filter = { ...query, status: readName(query.status, campaignStatuses, 'campaign status') };
      const em = projectEm(orm, projectId);
      const [campaigns, total] = await em.getRepository(Campaign).listPage(filter, offsetWindow(query));
      return [await withCounters(em, campaigns), total] as const;
    },

    /**
     * @throws DomainError `BAD_REQUEST` for invalid Liquid or an incomplete or invalid audience, `NOT_FOUND` for its
     * segment, `SENDER_DOMAIN_REFUSED`
     */
    async create(projectId: string, body: CampaignBody) {
      await requireLiquid(templates, projectId, body);
      const campaign = await writeInPlace(projectId, async (em) => {
        const id = newId();
        await requireAudience(em, projectId, id, body);
        await holdSenderDomain(em, body.from);
        return em.create(Campaign, { id, projectId, ...toFields(body) });
      });
      return written(campaign);
    },

    /** @throws DomainError as `create`, `BAD_REQUEST` once sending has begun, `CONFLICT` when it has changed since `seen` */
    async replace(projectId: string, id: string, body: CampaignBody, seen?: Date) {
      await requireLiquid(templates, projectId, body);
      return written(await writeInPlace(projectId, (em) => replaceCampaign(em, projectId, id, body, seen)));
    },

    /**
     * Cancels the unsent emails of a cancelled campaign first.
     * @throws DomainError `CONFLICT` while it is scheduled or sending, while a condition refers to it, and while emails remain to be cancelled or settled
     */
    remove: (projectId: string, id: string) => removeCampaign(orm, writes, projectId, id),

    duplicate: async (projectId: string, id: string) => written(await copyCampaign(orm, projectId, id)),

    /**
     * @returns the drafts of the test: of this subject, of the other one, and for the rest of the audience, if any
     * @throws DomainError as `replace`
     */
    async testSubjects(projectId: string, id: string, test: SubjectTestBody, seen?: Date) {
      await requireLiquid(templates, projectId, { subject: test.subject });
      const drafts = await writeInPlace(projectId, async (em) =>
        splitDraft(em, await findUnchanged(em, id, 'split', seen), test),
      );
      const counted: CountedCampaign[] = [];
      for (const draft of drafts) counted.push(await written(draft));
      return counted;
    },
  };
}

async function findUnchanged(em: Em, id: string, action: CampaignAction, seen?: Date): Promise<Campaign> {
  const found = await findCampaign(em, id, LockMode.PESSIMISTIC_WRITE);
  requireUnchanged(found, seen);
  requireAction(action, found);
  return found;
}

async function replaceCampaign(
  em: Em,
  ...[projectId, id, body, seen]: Parameters<CampaignsService['replace']>
): Promise<Campaign> {
  const found = await findUnchanged(em, id, 'edit', seen);
  await requireAudience(em, projectId, id, body);
  await holdSenderDomain(em, body.from);
  return em.assign(found, toFields(body));
}
