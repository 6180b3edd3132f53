import { setTimeout as delay } from 'node:timers/promises';
import { csvRow } from '../../core/csv/csv-row.ts';
import { DomainError } from '../../core/errors.ts';
import { ContactField } from '../../db/entities/contact.ts';
import type { Orm } from '../../db/orm.ts';
import type { ContactFilter } from '../../db/statements/contacts/contact-filter.ts';
import type { ContactRow } from '../../db/statements/contacts/contact-row.ts';
import { type ContactPosition, listContacts } from '../../db/statements/contacts/list-contacts.ts';
import type { HeavyReads } from './heavy-reads.ts';

export interface ContactExportService {
  /**
   * The contacts that match as pieces of a CSV file, oldest first. Holds one page at a time. Contacts that are created
   * meanwhile are in it.
   * @throws DomainError `RATE_LIMIT_EXCEEDED`, before the first piece only
   */
  start(projectId: string, filter: ContactFilter): Promise<AsyncIterable<string>>;
}

const contactsPerPage = 1_000;
const order = { by: 'createdAt', direction: 'asc' } as const;
/** How long a page waits for its turn when other searches of the project are many. */
const waitMs = 500;
/** By which spreadsheets recognise UTF-8. */
const byteOrderMark = '\ufeff';

export function createContactExportService(orm: Orm, heavyReads: HeavyReads): ContactExportService {
  return {
    async start(projectId, filter) {
      const read = (after?: ContactPosition) =>
        heavyReads.run(projectId, () =>
          listContacts(orm.em.fork(), projectId, filter, order, after, contactsPerPage),
        );
      const fields = await orm.em.fork().getRepository(ContactField).listTypes(projectId);
      const first = await read();
      return toFile(
        fields.map(({ key }) => key),
        first,
        (after) => patiently(() => read(after)),
      );
    },
  };
}

async function* toFile(
  keys: readonly string[],
  first: ContactRow[],
  next: (after: ContactPosition) => Promise<ContactRow[]>,
): AsyncGenerator<string> {
  yield byteOrderMark + csvRow(['id', 'email', 'subscribed', ...keys]);
  for (let page = first; ; ) {
    yield page
      .map(({ id, email, subscribed, data }) =>
        csvRow([id, email, subscribed, ...keys.map((key) => data[key])]),
      )
      .join('');
    const last = page.at(-1);
    if (last === undefined || page.length < contactsPerPage) return;
    page = await next({ value: last.createdAt.toISOString(), id: last.id });
  }
}

/** A file that has begun can't be answered 429 any more. */
async function patiently<Result>(read: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof DomainError && error.code === 'RATE_LIMIT_EXCEEDED')) throw error;
      await delay(waitMs);
    }
  }
}
