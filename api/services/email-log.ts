import { z } from 'zod';
import { projectEmailSources } from '../../core/email-state.ts';
import { DomainError } from '../../core/errors.ts';
import { instantOfId } from '../../core/id-at.ts';
import { decodeCursor, encodeCursor } from '../../core/pagination/cursor.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { readEmailRange } from '../../db/statements/campaigns/read-email-range.ts';
import { type EmailFilter, isSparse, listEmails } from '../../db/statements/emails/list-emails.ts';
import type { ListEmailsQuery } from '../schemas/emails.ts';
import type { HeavyReads } from './heavy-reads.ts';
import { lookedPage } from './looked-page.ts';
import { refuseReversed } from './read-model.ts';


const positionSchema = z.tuple([z.literal('emails'), z.uuid()]);

function readPosition(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined;
  const position = decodeCursor<[string, string]>(cursor, positionSchema);
  if (position === undefined) {
    throw new DomainError('BAD_REQUEST', 'The cursor is not valid for this list', {
      suggestion: 'Pass the cursor of the previous page, or leave it out.',
    });
  }
  return position[1];
}

/** @returns undefined when no email can match */
async function toFilter(em: Em, projectId: string, query: ListEmailsQuery): Promise<EmailFilter | undefined> {
  const { search = '', campaignId, contactId, source, status, workflowId, startDate, endDate } = query;
  const campaign = campaignId === undefined ? undefined : await readEmailRange(em, projectId, campaignId);
  if (campaignId !== undefined && campaign === undefined) return undefined;
  const filter: EmailFilter = {
    sources: source === undefined ? projectEmailSources : [source],
    status,
    contactIds: contactId === undefined ? undefined : [contactId],
    campaign:
      campaignId === undefined || campaign === undefined ? undefined : { id: campaignId, ...campaign },
    workflowId,
    recipient: undefined,
    text: undefined,
    startDate,
    endDate,
  };
  // What belongs to a campaign or a workflow has only one source, whose index range is read.
  if (campaignId !== undefined) filter.sources = filter.sources.filter((one) => one === 'CAMPAIGN');
  if (workflowId !== undefined) filter.sources = filter.sources.filter((one) => one === 'WORKFLOW');
  if (filter.sources.length === 0) return undefined;
  if (search === '') return filter;
  if (!search.includes('@')) return { ...filter, text: search };
  return { ...filter, recipient: search.trim().toLowerCase() };
}

export function createEmailLogService(orm: Orm, heavyReads: HeavyReads) {
  return {
    /** @throws DomainError `BAD_REQUEST` for a cursor from another list and a reversed period */
    async list(projectId: string, query: ListEmailsQuery) {
      refuseReversed(query);
      const before = readPosition(query.cursor);
      const filter = await toFilter(orm.em.fork(), projectId, query);
      if (filter === undefined) return { emails: [], cursor: null, searchedBackTo: null };
      const search = { projectId, filter, beforeId: before };
      const read = () => listEmails(orm.em.fork(), search, query.limit + 1);
      const found = isSparse(filter) ? await heavyReads.run(projectId, read) : await read();
      const { rows, next, searchedUntil } = lookedPage(found, query.limit, ({ id }) => id);
      return {
        emails: rows,
        cursor: next === undefined ? null : encodeCursor(['emails', next]),
        searchedBackTo: searchedUntil === undefined ? null : instantOfId(searchedUntil),
      };
    },
  };
}
