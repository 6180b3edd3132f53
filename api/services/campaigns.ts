import { domainOfAddress } from '../../core/addresses/email-address.ts';
import {
  type CampaignAction,
  type CampaignStatus,
  canDo,
  statesAccepting,
} from '../../core/campaign-state.ts';
import { copyName } from '../../core/copy-name.ts';
import { DomainError, notFound } from '../../core/errors.ts';
import { newId } from '../../core/new-id.ts';
import type { TemplateCache } from '../../core/rendering/template-cache.ts';
import type { Orm } from '../../db/orm.ts';
import {
  type CampaignFields,
  type CampaignRecord,
  countCampaigns,
  deleteCampaign,
  findCampaign,
  insertCampaign,
  listCampaigns,
  updateCampaign,
} from '../../db/repositories/campaigns/campaign-records.ts';
import { holdDomain } from '../../db/repositories/domains/domains.ts';
import { lockSegmentReferences } from '../../db/repositories/segments/segments.ts';
import { type CampaignBody, type ListCampaignsQuery, maxCampaignNameLength } from '../schemas/campaigns.ts';
import { offsetWindow } from '../schemas/pagination.ts';
import { requireAudience } from './campaign-audience.ts';
import { createCampaignEstimates } from './campaign-estimates.ts';
import { cancelEmails } from './cancel-emails.ts';
import type { HeavyReads } from './heavy-reads.ts';
import { requireLiquid } from './liquid-faults.ts';
import { holdSenderDomain } from './sender-domains.ts';

export interface CampaignsService {
  /** @throws DomainError `BAD_REQUEST` for an unknown status */
  list(projectId: string, query: ListCampaignsQuery): Promise<{ campaigns: CampaignRecord[]; total: number }>;
  /** @throws DomainError `NOT_FOUND` */
  get(projectId: string, id: string): Promise<CampaignRecord>;
  /**
   * @throws DomainError `BAD_REQUEST` for Liquid that does not parse and for an audience that is missing or wrong,
   * `NOT_FOUND` for its segment, `SENDER_DOMAIN_REFUSED`
   */
  create(projectId: string, body: CampaignBody): Promise<CampaignRecord>;
  /** @throws DomainError as for create, and `BAD_REQUEST` once sending has begun */
  replace(projectId: string, id: string, body: CampaignBody): Promise<CampaignRecord>;
  /**
   * What has not left of a cancelled campaign is cancelled first.
   * @throws DomainError `NOT_FOUND`, `CONFLICT` while it is scheduled or being sent, and while too much of it is still
   * to be cancelled
   */
  remove(projectId: string, id: string): Promise<void>;
  /** A new draft with the same content and audience. @throws DomainError `NOT_FOUND` */
  duplicate(projectId: string, id: string): Promise<CampaignRecord>;
}

const statuses: readonly CampaignStatus[] = ['DRAFT', 'SCHEDULED', 'SENDING', 'SENT', 'CANCELLED'];

function readStatus(text: string | undefined): CampaignStatus | undefined {
  if (text === undefined) return undefined;
  const status = statuses.find((one) => one === text);
  if (status !== undefined) return status;
  throw new DomainError('BAD_REQUEST', `There is no campaign status ${JSON.stringify(text)}`, {
    suggestion: `Use one of ${statuses.join(', ')}.`,
  });
}

/** @throws DomainError `BAD_REQUEST` (`CONFLICT` for a deletion) naming the states that accept the action */
export function requireAction(action: CampaignAction, { status }: { status: CampaignStatus }): void {
  if (canDo(action, status)) return;
  const verbs: Record<CampaignAction, string> = {
    edit: 'edited',
    send: 'sent',
    cancel: 'cancelled',
    delete: 'deleted',
  };
  const suggestion =
    action === 'delete'
      ? 'Cancel it first.'
      : action === 'cancel'
        ? undefined
        : 'POST /campaigns/{id}/duplicate makes a new draft of it.';
  throw new DomainError(
    action === 'delete' ? 'CONFLICT' : 'BAD_REQUEST',
    `A campaign that is ${status} can't be ${verbs[action]}; it would have to be ${statesAccepting(action).join(' or ')}`,
    { details: { status }, ...(suggestion !== undefined && { suggestion }) },
  );
}

const isUnderWay = () =>
  new DomainError(
    'CONFLICT',
    'The campaign was cancelled a moment ago, and its emails still are being cancelled',
    {
      suggestion: 'Try again shortly.',
    },
  );

function toFields(body: CampaignBody): CampaignFields {
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
    // as: `requireAudience` has read it as a condition tree.
    audienceCondition:
      audienceType === 'FILTERED' ? (body.audienceCondition as Record<string, unknown>) : null,
    segmentId: audienceType === 'SEGMENT' ? (body.segmentId ?? null) : null,
  };
}

/** Broadcasts, from draft to deletion; `campaign-sending` starts and stops them. */
export function createCampaignsService(
  orm: Orm,
  compiled: TemplateCache,
  heavyReads: HeavyReads,
): CampaignsService {
  const estimate = createCampaignEstimates(orm);

  const find = async (projectId: string, id: string) => {
    const row = await findCampaign(orm.em.fork(), projectId, id);
    if (row === undefined) throw notFound('Campaign');
    return row;
  };

  const isEstimated = ({ status }: CampaignRecord) => status === 'DRAFT' || status === 'SCHEDULED';

  /** A campaign that was just written. Nothing refuses it any more: without an estimate it has its last one. */
  const getWritten = async (projectId: string, id: string): Promise<CampaignRecord> => {
    const row = await find(projectId, id);
    const recipients = isEstimated(row)
      ? await heavyReads.runIfFree(projectId, () => estimate(row))
      : undefined;
    return { ...row, totalRecipients: recipients ?? row.totalRecipients };
  };

  return {
    /** With an estimate of its recipients until they are frozen. */
    async get(projectId, id) {
      const row = await find(projectId, id);
      if (!isEstimated(row)) return row;
      return { ...row, totalRecipients: await heavyReads.run(projectId, () => estimate(row)) };
    },

    async list(projectId, query) {
      const filter = { status: readStatus(query.status), search: query.search || undefined };
      const order = { by: query.sort, direction: query.dir };
      const [campaigns, total] = await Promise.all([
        listCampaigns(orm.em.fork(), projectId, filter, order, offsetWindow(query)),
        countCampaigns(orm.em.fork(), projectId, filter),
      ]);
      return { campaigns, total };
    },

    async create(projectId, body) {
      requireLiquid(compiled, body);
      const id = newId();
      await orm.em.fork().transactional(async (em) => {
        await requireAudience(em, projectId, id, body);
        await holdSenderDomain(em, projectId, body.from);
        await insertCampaign(em, id, projectId, toFields(body));
      });
      return getWritten(projectId, id);
    },

    async replace(projectId, id, body) {
      requireLiquid(compiled, body);
      await orm.em.fork().transactional(async (em) => {
        const row = await findCampaign(em, projectId, id, 'update');
        if (row === undefined) throw notFound('Campaign');
        requireAction('edit', row);
        await requireAudience(em, projectId, id, body);
        await holdSenderDomain(em, projectId, body.from);
        await updateCampaign(em, projectId, id, toFields(body));
      });
      return getWritten(projectId, id);
    },

    async remove(projectId, id) {
      const before = await find(projectId, id);
      requireAction('delete', before);
      if (before.status === 'CANCELLED' && !(await cancelEmails(orm, id))) throw isUnderWay();
      await orm.em.fork().transactional(async (em) => {
        const row = await findCampaign(em, projectId, id, 'update');
        if (row === undefined) throw notFound('Campaign');
        requireAction('delete', row);
        if (row.status !== before.status) throw isUnderWay();
        await deleteCampaign(em, projectId, id);
      });
    },

    async duplicate(projectId, id) {
      const copyId = newId();
      await orm.em.fork().transactional(async (em) => {
        const row = await findCampaign(em, projectId, id);
        if (row === undefined) throw notFound('Campaign');
        // What it refers to may be gone, which sending it would say; what is there stays while it is copied.
        await lockSegmentReferences(em, projectId);
        await holdDomain(em, projectId, domainOfAddress(row.fromEmail));
        await insertCampaign(em, copyId, projectId, {
          ...row,
          name: copyName(row.name, maxCampaignNameLength),
        });
      });
      return getWritten(projectId, copyId);
    },
  };
}
