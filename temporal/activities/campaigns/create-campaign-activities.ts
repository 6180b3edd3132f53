import { LRUCache } from 'lru-cache';
import { contactsInFirstPiece, contactsInNextPiece } from '../../../core/campaign-batches.ts';
import { Campaign, CampaignBatch } from '../../../db/entities/campaign.ts';
import { allProjects } from '../../../db/entities/project-em.ts';
import { isTooMany, longestStatementMs } from '../../../db/limit-statements.ts';
import type { Em, Orm } from '../../../db/orm.ts';
import { countRecipients } from '../../../db/statements/campaigns/campaign-audience.ts';
import { hasCampaignLimit } from '../../../db/statements/campaigns/campaign-quota.ts';
import { cancelBatches } from '../../../db/statements/campaigns/cancel-batches.ts';
import { beginFreeze, freezeAudience } from '../../../db/statements/campaigns/freeze-audience.ts';
import {
  noEvidence,
  readSendEventEvidence,
  type SendEventEvidence,
} from '../../../db/statements/campaigns/send-event-evidence.ts';
import { settleBatch } from '../../../db/statements/campaigns/settle-batch.ts';
import type { CampaignActivities, CampaignView, SettleCampaignResult } from '../../contracts/campaign.ts';
import type { WriterDependencies } from '../writer-dependencies.ts';
import { beginCampaign, findDue, finishCampaign } from './begin-and-finish.ts';
import { createEvidenceReader } from './evidence-reader.ts';
import type { HeadStart } from './head-start.ts';
import { createLongStepLimit } from './limit-long-steps.ts';

export interface CampaignActivityDependencies extends WriterDependencies {
  unknownSeconds: number;
  headStart: Pick<HeadStart, 'look'>;
}

const stepMs = 4_000;
const batchesPerCancel = 2;
const batchesAtOnce = 1_000;
/** Delay before canceling more emails, and those that a run has put back. */
const putBackMs = 100;

export function createCampaignActivities({
  orm,
  unknownSeconds,
  headStart,
  committed,
}: CampaignActivityDependencies): CampaignActivities {
  const settle = createSettler(orm, unknownSeconds);
  const runLong = createLongStepLimit();
  const freeze = createFreezer(orm, headStart);
  const findEvidence = createEvidenceReader((campaignId) =>
    readSendEventEvidence(orm.em.fork(), campaignId, unknownSeconds),
  );
  /** @param gone the result for a campaign that is gone */
  async function runInTurn<Result, Gone>(campaignId: string, step: () => Promise<Result>, gone: Gone) {
    const projectId = await findProject(orm.em.fork(), campaignId);
    return projectId === undefined ? gone : runLong(projectId, step);
  }
  return {
    loadCampaign: ({ campaignId }) => loadCampaign(orm.em.fork(), campaignId),
    async beginCampaign({ campaignId }) {
      const em = orm.em.fork();
      const due = await findDue(em, campaignId);
      if (due === null) return false;
      const recipients = (await hasCampaignLimit(em, due.projectId))
        ? await runLong(due.projectId, () => countRecipients(em, due))
        : null;
      const hasBegun = await orm.em.fork().transactional((own) => beginCampaign(own, due, recipients));
      if (hasBegun) committed();
      return hasBegun;
    },
    freezeAudience: ({ campaignId }) => runInTurn(campaignId, () => freeze(campaignId), true),
    async listOpenBatches({ campaignId, after, limit }) {
      const found = await batchesOf(orm).listOpen(campaignId, after, limit + 1);
      return { numbers: found.slice(0, limit), more: found.length > limit };
    },
    settleCampaign: ({ campaignId }) =>
      settle(campaignId, () => runInTurn(campaignId, () => findEvidence(campaignId), noEvidence)),
    async cancelRemaining({ campaignId }) {
      const isThrough = await runInTurn(campaignId, () => cancelQueued(orm, campaignId), undefined);
      if (isThrough === undefined) return 0;
      if (!isThrough) return putBackMs;
      const { queued, waitMs } = await settle(campaignId, async () => noEvidence);
      // A run that saw the campaign before the cancel put these back after their batch was canceled.
      return queued > 0 ? putBackMs : waitMs;
    },
    async finishCampaign({ campaignId }) {
      const isFinished = await orm.em.fork().transactional((em) => finishCampaign(em, campaignId));
      if (isFinished) committed();
      return isFinished;
    },
  };
}

/** @returns whether it came to the last batch in time */
async function cancelQueued(orm: Orm, campaignId: string): Promise<boolean> {
  const until = performance.now() + stepMs;
  let after: number | null = 0;
  do {
    after = await cancelBatches(orm.em.fork(), campaignId, after, batchesPerCancel);
    if (after === null) return true;
  } while (performance.now() < until);
  return false;
}

function createFreezer(orm: Orm, headStart: CampaignActivityDependencies['headStart']) {
  /** Contacts in the next piece of a campaign: a slow piece ends its activity. */
  const pieces = new LRUCache<string, number>({ max: 1_000 });
  return async (campaignId: string): Promise<boolean> => {
    let startedAt = performance.now();
    const until = startedAt + stepMs;
    let contacts = pieces.get(campaignId) ?? contactsInFirstPiece;
    const note = (tookMs: number) => {
      contacts = contactsInNextPiece(contacts, tookMs);
      pieces.set(campaignId, contacts);
      headStart.look(campaignId);
    };
    try {
      // The head start may already have begun the freeze.
      if (await beginFreeze(orm.em.fork(), campaignId, contacts)) note(performance.now() - startedAt);
      for (;;) {
        startedAt = performance.now();
        const isFrozen = await freezeAudience(orm.em.fork(), campaignId, contacts);
        note(performance.now() - startedAt);
        if (isFrozen || performance.now() >= until) return isFrozen;
      }
    } catch (error) {
      if (!isTooMany(error, contacts)) throw error;
      note(longestStatementMs);
      return false;
    }
  };
}

async function findProject(em: Em, campaignId: string): Promise<string | undefined> {
  return (await em.findOne(Campaign, campaignId, { fields: ['projectId'], ...allProjects }))?.projectId;
}

async function loadCampaign(em: Em, campaignId: string): Promise<CampaignView | null> {
  const campaign = await em.findOne(Campaign, campaignId, {
    fields: ['projectId', 'name', 'status', 'scheduledFor', 'frozenAt', 'totalRecipients'],
    ...allProjects,
  });
  if (campaign === null) return null;
  const { projectId, name, status, scheduledFor, frozenAt, totalRecipients } = campaign;
  const dueAt = scheduledFor?.getTime() ?? null;
  return { projectId, name, status, dueAt, isFrozen: frozenAt !== null, totalRecipients };
}

const batchesOf = (orm: Orm) => orm.em.fork().getRepository(CampaignBatch);

function createSettler(orm: Orm, unknownSeconds: number) {
  /** @param findEvidence reads every email of the campaign, so it is called only when a batch is open */
  return async (
    campaignId: string,
    findEvidence: () => Promise<SendEventEvidence>,
  ): Promise<SettleCampaignResult> => {
    const result = { queued: 0, waitMs: 0 };
    let evidence: SendEventEvidence | undefined;
    for (let after: number | undefined = 0; after !== undefined; ) {
      const open: number[] = await batchesOf(orm).listOpen(campaignId, after, batchesAtOnce);
      for (const number of open) {
        evidence ??= await findEvidence();
        const batch = await settleBatch(orm.em.fork(), campaignId, number, unknownSeconds, evidence);
        result.queued += batch.queued;
        if (batch.waiting === 0) continue;
        result.waitMs = result.waitMs === 0 ? batch.waitMs : Math.min(result.waitMs, batch.waitMs);
      }
      after = open.at(-1);
    }
    return result;
  };
}
