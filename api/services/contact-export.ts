import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { maxContactDataBytes } from '../../core/contact-data/parse-contact-data.ts';
import { columnOfKey } from '../../core/contact-import/columns.ts';
import { csvRow } from '../../core/csv/csv-row.ts';
import { orNotFound } from '../../core/errors.ts';
import { segmentAudience } from '../../db/conditions/audience.ts';
import { ContactField } from '../../db/entities/contact.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import type { Em, Orm } from '../../db/orm.ts';
import type { Scan } from '../../db/scan-page.ts';
import { type ContactFilter, needsScan } from '../../db/statements/contacts/contact-filter.ts';
import { type ContactPosition, positionOf } from '../../db/statements/contacts/contact-order.ts';
import type { ContactRow } from '../../db/statements/contacts/contact-row.ts';
import { contactsPerScan, scanContacts } from '../../db/statements/contacts/scan-contacts.ts';
import type { ProjectSlots } from './project-slots.ts';
import { readMembers } from './segment-members.ts';
import { findSegment } from './segments.ts';

/** Contacts of the first page, and of a page at most: a page may have twice as many as the text of the last one held. */
const [fewContacts, mostContacts] = [100, 1_000];
/** Of the text of a page. An export holds one for as long as its client reads it. */
export const mostPageBytes = fewContacts * maxContactDataBytes;
const order = { by: 'createdAt', direction: 'asc' } as const;
/** Characters after which the event loop does other work. */
const pieceLength = 64 * 1024;
const byteOrderMark = '\ufeff';
const builtIn = ['id', 'email', 'subscribed'];

interface Page {
  pieces: string[];
  next: ContactPosition | undefined;
}

type Read = (
  em: Em,
  after: ContactPosition | undefined,
  limit: number,
) => Promise<
  Pick<Scan<ContactRow, ContactPosition>, 'rows'> & { scannedUntil?: ContactPosition | undefined }
>;

/**
 * Both methods stream contacts as CSV, hold one page at a time, and throw DomainError `RATE_LIMIT_EXCEEDED` and
 * `SERVICE_UNAVAILABLE` before the first piece only.
 */
export function createContactExportService(orm: Orm, heavyReads: ProjectSlots) {
  const start = async (projectId: string, find: Read) => {
    // Once the file has started, the status can no longer be 429 or 503.
    const inTurn = heavyReads.inBatches(projectId);
    const fields = await orm.em.fork().getRepository(ContactField).listTypes(projectId);
    const keys = fields.map(({ key }) => key);
    const write = createWriter(keys);
    let contacts = fewContacts;
    const read = (after?: ContactPosition) =>
      inTurn(async (): Promise<Page> => {
        const { rows, scannedUntil } = await find(projectEm(orm, projectId), after, contacts);
        const { pieces, written } = await write(rows);
        const isLast = written === rows.length && rows.length < contacts;
        const last = isLast ? undefined : rows[written - 1];
        contacts = Math.min(mostContacts, Math.max(fewContacts, written * 2));
        return { pieces, next: last ? positionOf(order, last) : scannedUntil };
      });
    return toFile(keys, await read(), read);
  };
  return {
    /** The matching contacts, oldest first, with those created during the export. */
    start: (projectId: string, filter: ContactFilter) =>
      start(projectId, (em, after, contacts) => {
        const perScan = needsScan(filter) ? contactsPerScan : contacts;
        return scanContacts(em, { projectId, filter, order, after }, contacts, perScan);
      }),

    /**
     * The members of a segment, newest contact first.
     * @throws DomainError `NOT_FOUND`
     */
    async startOfSegment(projectId: string, id: string) {
      const em = projectEm(orm, projectId);
      const segment = await findSegment(em, id);
      const audience = orNotFound(await segmentAudience(em, projectId, id), 'Segment');
      return start(projectId, async (fork, after, limit) => {
        const window = { limit, offset: 0, after: after && { at: after.value, id: after.id } };
        return { rows: await readMembers(fork, segment, audience, window) };
      });
    },
  };
}

async function* toFile(
  keys: readonly string[],
  first: Page,
  read: (after: ContactPosition) => Promise<Page>,
): AsyncGenerator<string> {
  yield byteOrderMark + csvRow([...builtIn, ...keys.map(columnOfKey)]);
  for (let page = first; ; page = await read(page.next)) {
    for (const piece of page.pieces) {
      yield piece;
      await yieldToLoop();
    }
    if (page.next === undefined) return;
  }
}

/** Writes as many of the contacts as a page holds. */
function createWriter(keys: readonly string[]) {
  const columnOf = new Map(keys.map((key, index) => [key, builtIn.length + index]));
  const rowOf = ({ id, email, subscribed, data }: ContactRow) => {
    const cells: unknown[] = [id, email, subscribed];
    cells.length = builtIn.length + keys.length;
    for (const [key, value] of Object.entries(data)) {
      const column = columnOf.get(key);
      if (column !== undefined) cells[column] = value;
    }
    return csvRow(cells);
  };
  return async (contacts: readonly ContactRow[]) => {
    const pieces: string[] = [];
    let piece = '';
    let length = 0;
    let written = 0;
    for (const contact of contacts) {
      if (length >= mostPageBytes) break;
      const row = rowOf(contact);
      piece += row;
      length += row.length;
      written += 1;
      if (piece.length < pieceLength) continue;
      pieces.push(piece);
      piece = '';
      await yieldToLoop();
    }
    if (piece !== '') pieces.push(piece);
    return { pieces, written };
  };
}
