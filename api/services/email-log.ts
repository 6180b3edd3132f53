import { z } from 'zod';
import { toAddressPart } from '../../core/addresses/email-address.ts';
import { projectEmailSources } from '../../core/email-state.ts';
import { instantOfId } from '../../core/id-at.ts';
import { encodeCursor } from '../../core/pagination/cursor.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { readEmailRange } from '../../db/statements/campaigns/read-email-range.ts';
import type { LoggedEmail } from '../../db/statements/emails/email-log-row.ts';
import { type EmailFilter, isSparse, listEmails } from '../../db/statements/emails/list-emails.ts';
import type { EmailFilterQuery, ListEmailsQuery } from '../schemas/emails.ts';
import { type CsvColumns, startCsvFile } from './csv-file.ts';
import { readCursor, toScannedPage } from './cursor-page.ts';
import type { ProjectPlaces } from './project-places.ts';
import { refuseReversed } from './read-model.ts';

const positionSchema = z.tuple([z.literal('emails'), z.uuid()]).transform(([, id]) => id);

/** @returns undefined when no email can match */
async function toFilter(
  em: Em,
  projectId: string,
  query: EmailFilterQuery,
): Promise<EmailFilter | undefined> {
  const { search = '', campaignId, contactId, source, status, workflowId, startDate, endDate } = query;
  const range = campaignId === undefined ? undefined : await readEmailRange(em, projectId, campaignId);
  if (campaignId !== undefined && range === undefined) return undefined;
  // Emails of a campaign or workflow have one source, so only its index range is read.
  const sources = projectEmailSources
    .filter((one) => source === undefined || one === source)
    .filter((one) => campaignId === undefined || one === 'CAMPAIGN')
    .filter((one) => workflowId === undefined || one === 'WORKFLOW');
  if (sources.length === 0) return undefined;
  const isAddress = search.includes('@');
  return {
    sources,
    status,
    contactIds: contactId === undefined ? undefined : [contactId],
    campaign: range && campaignId !== undefined ? { id: campaignId, ...range } : undefined,
    workflowId,
    recipient: isAddress ? toAddressPart(search.trim()) : undefined,
    text: isAddress || search === '' ? undefined : search,
    startDate,
    endDate,
  };
}

export function createEmailLogService(orm: Orm, heavyReads: ProjectPlaces) {
  return {
    /** @throws DomainError `BAD_REQUEST` for a cursor from another list and a reversed period */
    async list(projectId: string, query: ListEmailsQuery) {
      refuseReversed(query);
      const before = readCursor(query.cursor, positionSchema);
      const filter = await toFilter(orm.em.fork(), projectId, query);
      if (filter === undefined) return { emails: [], cursor: null, searchedBackTo: null };
      const search = { projectId, filter, beforeId: before };
      const read = () => listEmails(orm.em.fork(), search, query.limit + 1);
      const found = isSparse(filter) ? await heavyReads.run(projectId, read) : await read();
      const { rows, next, searchedUntil } = toScannedPage(found, query.limit, ({ id }) => id);
      return {
        emails: rows,
        cursor: next === undefined ? null : encodeCursor(['emails', next]),
        searchedBackTo: searchedUntil === undefined ? null : instantOfId(searchedUntil),
      };
    },

    /**
     * Streams the emails as CSV, newest first, in the order of the list.
     * @throws DomainError `BAD_REQUEST` for a reversed period, and as `startCsvFile`
     */
    async export(projectId: string, query: EmailFilterQuery, columns: CsvColumns<LoggedEmail>) {
      refuseReversed(query);
      const filter = await toFilter(orm.em.fork(), projectId, query);
      return startCsvFile(heavyReads.inBatches(projectId), {
        ...columns,
        positionOf: ({ id }) => id,
        find: async (beforeId: string | undefined, limit) =>
          filter ? listEmails(orm.em.fork(), { projectId, filter, beforeId }, limit) : { rows: [] },
      });
    },
  };
}
