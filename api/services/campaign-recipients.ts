import { z } from 'zod';
import type { ClickHouse } from '../../analytics/clickhouse.ts';
import { campaignLinks } from '../../analytics/questions/campaign-links.ts';
import { instantOfId } from '../../core/id-at.ts';
import { encodeCursor } from '../../core/pagination/cursor.ts';
import type { RecipientOutcome } from '../../core/recipient-outcomes.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import type { Orm } from '../../db/orm.ts';
import { listRecipients, type Recipient } from '../../db/statements/campaigns/list-recipients.ts';
import {
  type CountedCampaign,
  withItsCounters,
} from '../../db/statements/campaigns/read-campaign-counters.ts';
import type { ListRecipientsQuery, RecipientFilterQuery } from '../schemas/campaign-recipients.ts';
import { findCampaign } from './campaigns.ts';
import { type CsvColumns, startCsvFile } from './csv-file.ts';
import { readCursor, toScannedPage } from './cursor-page.ts';
import type { ProjectPlaces } from './project-places.ts';
import { whileAvailable } from './read-model.ts';

const mostLinks = 500;
/**
 * How far before the creation of a campaign its clicks may be dated: the provider does so by another clock. `startedAt`
 * is no bound: it is no earlier than the creation of any contact, which the clock of yet another process dates.
 */
const skewMs = 86_400_000;
const positionSchema = z.tuple([z.literal('recipients'), z.uuid()]).transform(([, id]) => id);

export function createCampaignRecipientsService(orm: Orm, clickhouse: ClickHouse, heavyReads: ProjectPlaces) {
  return {
    /** @throws DomainError `NOT_FOUND`, `BAD_REQUEST` for a cursor of another list */
    async list(projectId: string, id: string, { outcome, cursor, limit }: ListRecipientsQuery) {
      const after = readCursor(cursor, positionSchema);
      const em = projectEm(orm, projectId);
      const counted = await withItsCounters(em, await findCampaign(em, id));
      if (outcome !== undefined && !occurs(outcome, counted)) {
        return { recipients: [], cursor: null, searchedUntil: null };
      }
      const search = { ...among(counted), outcome, after, limit: limit + 1 };
      const found = await heavyReads.run(projectId, () => listRecipients(em, search));
      const { rows, next, searchedUntil } = toScannedPage(found, limit, ({ contactId }) => contactId);
      return {
        recipients: rows,
        cursor: next === undefined ? null : encodeCursor(['recipients', next]),
        searchedUntil: searchedUntil === undefined ? null : instantOfId(searchedUntil),
      };
    },

    /**
     * Streams the recipients as CSV, in the order of the list.
     * @throws DomainError `NOT_FOUND`, and as `startCsvFile`
     */
    async export(
      projectId: string,
      id: string,
      { outcome }: RecipientFilterQuery,
      columns: CsvColumns<Recipient>,
    ) {
      const em = projectEm(orm, projectId);
      const counted = await withItsCounters(em, await findCampaign(em, id));
      const hasAny = outcome === undefined || occurs(outcome, counted);
      const file = await startCsvFile(heavyReads.inBatches(projectId), {
        ...columns,
        positionOf: ({ contactId }) => contactId,
        find: async (after: string | undefined, limit) =>
          hasAny
            ? listRecipients(projectEm(orm, projectId), { ...among(counted), outcome, after, limit })
            : { rows: [] },
      });
      return { campaign: counted.campaign, file };
    },

    /** @throws DomainError `NOT_FOUND`, `SERVICE_UNAVAILABLE` while ClickHouse is down */
    async links(projectId: string, id: string) {
      const { createdAt, startedAt } = await findCampaign(projectEm(orm, projectId), id);
      if (!startedAt) return [];
      const campaign = { projectId, campaignId: id, since: new Date(createdAt.getTime() - skewMs) };
      return whileAvailable(campaignLinks(clickhouse, campaign, mostLinks));
    },
  };
}

const among = ({ campaign }: CountedCampaign) => ({ campaignId: campaign.id, since: campaign.createdAt });

/** Whether any recipient has the outcome, by the counters: a search without matches would read every recipient. */
function occurs(outcome: RecipientOutcome, { campaign, counters }: CountedCampaign): boolean {
  switch (outcome) {
    case 'unopened':
      // Not compared with the opens: the provider may report those first.
      return counters.delivered > 0;
    case 'failed':
    case 'skipped':
      return counters.held > 0;
    case 'pending':
      return campaign.totalRecipients > counters.sent + counters.held;
    default:
      return counters[outcome] > 0;
  }
}
