import { setImmediate as yieldToLoop } from 'node:timers/promises';
import { maxContactDataBytes } from '../../core/contact-data/parse-contact-data.ts';
import { columnOfKey } from '../../core/contact-import/columns.ts';
import { csvRow } from '../../core/csv/csv-row.ts';
import { ContactField } from '../../db/entities/contact.ts';
import type { Orm } from '../../db/orm.ts';
import { type ContactFilter, needsScan } from '../../db/statements/contacts/contact-filter.ts';
import { type ContactPosition, positionOf } from '../../db/statements/contacts/contact-order.ts';
import type { ContactRow } from '../../db/statements/contacts/contact-row.ts';
import { contactsPerScan, scanContacts } from '../../db/statements/contacts/scan-contacts.ts';
import type { ProjectSlots } from './project-slots.ts';

/** Few, because each export whose client reads slowly holds a page. */
const contactsPerPage = 100;
/** Of the data of a page, as JSON. */
export const mostPageBytes = contactsPerPage * maxContactDataBytes;
const order = { by: 'createdAt', direction: 'asc' } as const;
/** Characters after which the event loop does other work. */
const pieceLength = 64 * 1024;
const byteOrderMark = '\ufeff';
const builtIn = ['id', 'email', 'subscribed'];

export function createContactExportService(orm: Orm, heavyReads: ProjectSlots) {
  return {
    /**
     * Streams the matching contacts as CSV, oldest first. Holds one page at a time. Includes contacts created during
     * the export.
     * @throws DomainError `RATE_LIMIT_EXCEEDED` and `SERVICE_UNAVAILABLE`, before the first piece only
     */
    async start(projectId: string, filter: ContactFilter) {
      const perScan = needsScan(filter) ? contactsPerScan : contactsPerPage;
      // Once the file has started, the status can no longer be 429 or 503.
      const inTurn = heavyReads.inBatches(projectId);
      const read = (after?: ContactPosition) =>
        inTurn(async () => {
          const search = { projectId, filter, order, after };
          const scan = await scanContacts(orm.em.fork(), search, contactsPerPage, perScan);
          const last = scan.rows.length === contactsPerPage ? scan.rows.at(-1) : undefined;
          const next = last ? positionOf(order, last) : scan.scannedUntil;
          return { contacts: scan.rows, next };
        });
      const fields = await orm.em.fork().getRepository(ContactField).listTypes(projectId);
      const first = await read();
      return toFile(
        fields.map(({ key }) => key),
        first,
        read,
      );
    },
  };
}

interface Part {
  contacts: ContactRow[];
  next: ContactPosition | undefined;
}

async function* toFile(
  keys: readonly string[],
  first: Part,
  read: (after: ContactPosition) => Promise<Part>,
): AsyncGenerator<string> {
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
  yield byteOrderMark + csvRow([...builtIn, ...keys.map(columnOfKey)]);
  for (let part = first; ; part = await read(part.next)) {
    let piece = '';
    for (const contact of part.contacts) {
      piece += rowOf(contact);
      if (piece.length < pieceLength) continue;
      yield piece;
      piece = '';
      await yieldToLoop();
    }
    if (piece !== '') yield piece;
    if (part.next === undefined) return;
  }
}
