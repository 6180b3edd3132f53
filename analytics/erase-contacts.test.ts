import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { keptEmailData } from '../core/kept-email-data.ts';
import { openTestClickHouse, useTestClickHouse } from '../test/setup/clickhouse.ts';
import { countColumn } from './client/question.ts';
import { eraseContacts } from './erase-contacts.ts';
import { activityStats } from './questions/activity-stats.ts';
import { activityFeed, listEvents } from './questions/event-listings.ts';
import { eventNames } from './questions/event-names.ts';
import { eventStats } from './questions/event-stats.ts';
import { eventTable } from './tables/event.ts';
import { type EventInsertRow, eventRow, toEventLine } from './testing/event-row.ts';

const period = { startDate: new Date(Date.now() - 86_400_000), endDate: new Date(Date.now() + 86_400_000) };

const event = (projectId: string, rest: Partial<EventInsertRow> = {}) =>
  eventRow(projectId, { data: { address: 'ann@example.com' }, ...rest });

/** Every event of a contact's email, with all data that such events may hold. */
function emailEvents(projectId: string, contactId: string): EventInsertRow[] {
  const emailId = uuidv7();
  const about = { projectId, contactId, emailId, campaignId: uuidv7(), kind: 'emitted' as const };
  const data = {
    emailId,
    messageId: 'provider-1',
    subject: 'Hello "Ann" }{ \\ é',
    from: 'shop@example.com',
    templateId: uuidv7(),
    sourceType: 'CAMPAIGN',
  };
  const row = (name: string, activityType: string, more: Record<string, unknown>) =>
    event(projectId, { ...about, name, activityType, data: { ...data, ...more } });
  return [
    row('email.sent', 'email.sent', {}),
    row('email.click', 'email.clicked', { link: 'https://example.com/?ann', clicks: 2, isFirst: true }),
    row('email.bounce', 'email.bounced', { bounceType: 'Permanent' }),
  ];
}

describe('erasing contacts', () => {
  const clickhouse = useTestClickHouse();

  const store = (...rows: EventInsertRow[]) =>
    clickhouse.insert(eventTable, rows.map(toEventLine).join('\n'));
  const feed = (projectId: string) => activityFeed(clickhouse, { projectId, limit: 100 });

  /** Number of rows, in any table, that contain the text in any column. */
  async function mentions(text: string): Promise<number> {
    const tables = await clickhouse.query(
      {
        name: 'tables with a project',
        sql: `SELECT table, groupArray(name) AS columns FROM system.columns
          WHERE database = currentDatabase() AND table NOT LIKE '%_view' AND table NOT LIKE '.%' GROUP BY table`,
        row: z.object({ table: z.string(), columns: z.array(z.string()) }),
      },
      {},
    );
    let total = 0;
    for (const { table, columns } of tables) {
      const row = `concat(${columns.map((column) => `toString(${column})`).join(", ' ', ")}, '')`;
      const [found] = await clickhouse.query(
        {
          name: 'mentions',
          sql: `SELECT count() AS n FROM ${table} WHERE position(${row}, {text:String}) > 0`,
          row: z.object({ n: countColumn }),
        },
        { text },
      );
      total += found?.n ?? 0;
    }
    return total;
  }

  it('leaves no trace of them in any table, even of rows delivered twice', async () => {
    const projectId = uuidv7();
    const [ann, ben, cat] = [uuidv7(), uuidv7(), uuidv7()];
    const secret = `secret-${uuidv7()}`;
    const rows = [ann, ben].flatMap((contactId) => [
      event(projectId, { contactId, data: { secret } }),
      event(projectId, { contactId, name: 'only theirs', data: { deep: [{ secret }] } }),
      event(projectId, {
        contactId,
        name: 'contact.snoozed',
        kind: 'activity',
        activityType: 'contact.snoozed',
      }),
      ...emailEvents(projectId, contactId).map((row) => ({
        ...row,
        data: { ...row.data, subject: secret, link: secret, messageId: secret, from: secret },
      })),
    ]);
    const theirs = [
      event(projectId, { contactId: cat, name: 'order placed' }),
      ...emailEvents(projectId, cat),
    ];
    await store(...rows, ...theirs);
    await store(...rows.toReversed());
    await eraseContacts(clickhouse, projectId, [ann, ben], keptEmailData);
    for (const text of [ann, ben, secret]) expect(await mentions(text)).toBe(0);
    const own = await listEvents(clickhouse, { projectId, contactId: cat, limit: 100 });
    const dataById = (found: { id: string; data: unknown }[]) =>
      new Map(found.map(({ id, data }) => [id, data]));
    expect(own).toHaveLength(theirs.length);
    expect(dataById(own)).toEqual(dataById(theirs.map(({ eventId, data }) => ({ id: eventId, data }))));
    expect(await eventNames(clickhouse, projectId)).toEqual([
      'email.bounce',
      'email.click',
      'email.sent',
      'order placed',
    ]);
  });

  it('keeps the events of their emails for the figures, without the contact', async () => {
    const projectId = uuidv7();
    const contactId = uuidv7();
    const rows = emailEvents(projectId, contactId);
    // Written by the contact, so not an event of one of the project's emails.
    const received = { name: 'email.received', kind: 'emitted', activityType: 'email.received' } as const;
    const written = event(projectId, { contactId, emailId: uuidv7(), ...received });
    await store(...rows, event(projectId, { contactId }), written);
    const before = await activityStats(clickhouse, { projectId, ...period });
    await eraseContacts(clickhouse, projectId, [contactId], keptEmailData);
    expect(await activityStats(clickhouse, { projectId, ...period })).toEqual({ ...before, totalEvents: 3 });
    expect(await eventStats(clickhouse, { projectId, ...period })).toMatchObject({ total: 3 });
    const shown = new Map((await feed(projectId)).map((row) => [row.id, row]));
    for (const { eventId, emailId, campaignId, activityType, data } of rows) {
      const { emailId: inData, templateId, sourceType, ...rest } = data;
      const { messageId: _, subject: __, from: ___, link: ____, ...kept } = rest;
      expect(shown.get(eventId)).toMatchObject({ contactId: null, emailId, campaignId, activityType });
      expect(shown.get(eventId)?.data).toEqual({ emailId: inData, templateId, sourceType, ...kept });
    }
  });

  it('touches neither another contact nor the same id in another project', async () => {
    const projectId = uuidv7();
    const contactId = uuidv7();
    const foreign = event(uuidv7(), { contactId, name: 'only theirs' });
    const other = event(projectId);
    await store(foreign, other, event(projectId, { contactId, name: 'only theirs' }));
    await eraseContacts(clickhouse, projectId, [contactId], keptEmailData);
    expect((await feed(projectId)).map(({ id }) => id)).toEqual([other.eventId]);
    expect((await feed(foreign.projectId)).map(({ id }) => id)).toEqual([foreign.eventId]);
    expect(await eventNames(clickhouse, foreign.projectId)).toEqual(['only theirs']);
    expect(await eventNames(clickhouse, projectId)).toEqual(['order placed']);
  });

  it('can be repeated, erases late arrivals, and does nothing for contacts without events', async () => {
    const projectId = uuidv7();
    const contactId = uuidv7();
    const rows = [event(projectId, { contactId }), ...emailEvents(projectId, contactId)];
    await eraseContacts(clickhouse, projectId, [], keptEmailData);
    await eraseContacts(clickhouse, projectId, [contactId], keptEmailData);
    await store(...rows);
    await eraseContacts(clickhouse, projectId, [contactId, uuidv7()], keptEmailData);
    await store(...rows);
    await eraseContacts(clickhouse, projectId, [contactId], keptEmailData);
    await eraseContacts(clickhouse, projectId, [contactId], keptEmailData);
    expect((await feed(projectId)).length).toBe(3);
    expect(await mentions(contactId)).toBe(0);
    expect(await activityStats(clickhouse, { projectId, ...period })).toMatchObject({
      totalEvents: 3,
      sent: 1,
      clicked: 1,
      bounced: 1,
    });
  });

  it('resumes after an interruption, even between the names and the events', async () => {
    const projectId = uuidv7();
    const contactId = uuidv7();
    const rows = [event(projectId, { contactId, name: 'only theirs' }), event(projectId)];
    await store(...rows);
    await clickhouse.command(
      `DELETE FROM event_name WHERE project_id = {projectId:UUID} AND name = 'only theirs'`,
      { projectId },
    );
    await eraseContacts(clickhouse, projectId, [contactId], keptEmailData);
    expect(await eventNames(clickhouse, projectId)).toEqual(['order placed']);
    expect(await mentions(contactId)).toBe(0);
  });
});

describe('erasing many contacts', () => {
  it('erases more of them than fit into one statement', async () => {
    const clickhouse = await openTestClickHouse();
    const projectId = uuidv7();
    const contactIds = Array.from({ length: 1_100 }, () => uuidv7());
    const rows = contactIds.map((contactId) => event(projectId, { contactId }));
    const other = event(projectId);
    await clickhouse.insert(eventTable, [...rows, other].map(toEventLine).join('\n'));
    await eraseContacts(clickhouse, projectId, contactIds, keptEmailData);
    const left = await listEvents(clickhouse, { projectId, limit: 2_000 });
    expect(left.map(({ id }) => id)).toEqual([other.eventId]);
    await clickhouse.close();
  });

  it('erases more names than fit into one statement', async () => {
    const clickhouse = await openTestClickHouse();
    const projectId = uuidv7();
    const contactId = uuidv7();
    const names = Array.from({ length: 1_000 }, (_, n) => `${'é'.repeat(250)}${n}`);
    const rows = names.map((name) => event(projectId, { contactId, name }));
    const other = event(projectId, { name: names[500] ?? '' });
    await clickhouse.insert(eventTable, [...rows, other].map(toEventLine).join('\n'));
    await eraseContacts(clickhouse, projectId, [contactId], keptEmailData);
    expect(await eventNames(clickhouse, projectId)).toEqual([other.name]);
    expect((await listEvents(clickhouse, { projectId, limit: 10 })).map(({ id }) => id)).toEqual([
      other.eventId,
    ]);
    await clickhouse.close();
  });
});
