import { columnOfKey } from '../../core/contact-import/columns.ts';
import { orNotFound } from '../../core/errors.ts';
import { segmentAudience } from '../../db/conditions/audience.ts';
import { ContactField } from '../../db/entities/contact.ts';
import { projectEm } from '../../db/entities/project-em.ts';
import type { Em, Orm } from '../../db/orm.ts';
import { type ContactFilter, needsScan } from '../../db/statements/contacts/contact-filter.ts';
import { type ContactPosition, positionOf } from '../../db/statements/contacts/contact-order.ts';
import type { ContactRow } from '../../db/statements/contacts/contact-row.ts';
import { contactsPerScan, scanContacts } from '../../db/statements/contacts/scan-contacts.ts';
import { type CsvColumns, type CsvRows, startCsvFile } from './csv-file.ts';
import type { ProjectPlaces } from './project-places.ts';
import { readMembers } from './segment-members.ts';
import { findSegment } from './segments.ts';

const order = { by: 'createdAt', direction: 'asc' } as const;
const builtIn = ['id', 'email', 'subscribed'];

type Find = CsvRows<ContactRow, ContactPosition>['find'];

/** Both methods stream contacts as CSV, and throw as `startCsvFile` does. */
export function createContactExportService(orm: Orm, heavyReads: ProjectPlaces) {
  const start = async (projectId: string, find: (em: Em, ...page: Parameters<Find>) => ReturnType<Find>) => {
    const fields = await orm.em.fork().getRepository(ContactField).listTypes(projectId);
    return startCsvFile(heavyReads.inBatches(projectId), {
      ...toColumns(fields.map(({ key }) => key)),
      positionOf: (contact) => positionOf(order, contact),
      find: (after, limit) => find(projectEm(orm, projectId), after, limit),
    });
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

function toColumns(keys: readonly string[]): CsvColumns<ContactRow> {
  const columnOf = new Map(keys.map((key, index) => [key, builtIn.length + index]));
  return {
    header: [...builtIn, ...keys.map(columnOfKey)],
    cellsOf({ id, email, subscribed, data }) {
      const cells: unknown[] = [id, email, subscribed];
      cells.length = builtIn.length + keys.length;
      for (const [key, value] of Object.entries(data)) {
        const column = columnOf.get(key);
        if (column !== undefined) cells[column] = value;
      }
      return cells;
    },
  };
}
