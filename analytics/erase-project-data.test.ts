import { v7 as uuidv7 } from 'uuid';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { useTestClickHouse } from '../test/setup/clickhouse.ts';
import { countColumn } from './client/question.ts';
import { eraseProjectData } from './erase-project-data.ts';
import { eventTable } from './tables/event.ts';
import { type LoggedRequest, requestLogTable, toRequestLine } from './tables/request-log.ts';
import { eventRow, toEventLine } from './testing/event-row.ts';

const clickhouse = useTestClickHouse();

/** A sent email, journaled at an instant. */
function sent(projectId: string, madeAt: Date, occurredAt = madeAt): string {
  const newId = () => uuidv7({ msecs: madeAt.getTime() });
  const sending = { name: 'email.sent', kind: 'emitted', activityType: 'email.sent' } as const;
  return toEventLine(eventRow(projectId, { ...sending, eventId: newId(), emailId: newId(), occurredAt }));
}

function request(at: Date): LoggedRequest {
  const answer = { status: 200, errorCode: null, credential: 'secretKey', durationMs: 1 } as const;
  return { id: uuidv7(), at, requestId: 'r1', method: 'GET', route: '/contacts', ...answer };
}

/** Rows of a project in every table with a project column, including tables added later. */
async function rowsOf(projectId: string): Promise<Record<string, number>> {
  const tables = await clickhouse.query(
    {
      name: 'tables of projects',
      sql: `SELECT c.table AS table FROM system.columns c JOIN system.tables t ON t.database = c.database AND t.name = c.table
        WHERE c.database = currentDatabase() AND c.name = 'project_id' AND t.engine != 'MaterializedView' ORDER BY table`,
      row: z.object({ table: z.string() }),
    },
    {},
  );
  const counts: Record<string, number> = {};
  for (const { table } of tables) {
    const question = {
      name: 'rows of a project',
      sql: `SELECT count() AS n FROM ${table} WHERE project_id = {projectId:UUID}`,
      row: z.object({ n: countColumn }),
    };
    const [found] = await clickhouse.query(question, { projectId });
    counts[table] = found?.n ?? 0;
  }
  return counts;
}

const oneOfEach = {
  day_change: 1,
  email: 1,
  email_state: 0,
  event: 1,
  event_name: 1,
  figure: 1,
  request_log: 1,
};

it('leaves nothing of a project in any table except newer rows, and everything of other projects', async () => {
  const [projectId, other] = [uuidv7(), uuidv7()];
  const until = new Date(Date.now() - 60_000);
  const before = new Date(until.getTime() - 1000);
  // The provider's clock was ahead.
  const ahead = new Date(until.getTime() + 5000);
  const lines = [sent(projectId, before), sent(projectId, before, ahead), sent(other, before)];
  await clickhouse.insert(eventTable, lines.join('\n'));
  const asked = [toRequestLine(projectId, request(before)), toRequestLine(other, request(before))];
  await clickhouse.insert(requestLogTable, asked.join('\n'));
  await eraseProjectData(clickhouse, projectId, until);
  expect(await rowsOf(projectId)).toEqual({
    day_change: 0,
    email: 0,
    email_state: 0,
    event: 0,
    event_name: 0,
    figure: 0,
    request_log: 0,
  });
  expect(await rowsOf(other)).toEqual(oneOfEach);

  await clickhouse.insert(eventTable, sent(projectId, new Date()));
  await clickhouse.insert(requestLogTable, toRequestLine(projectId, request(new Date())));
  await eraseProjectData(clickhouse, projectId, until);
  expect(await rowsOf(projectId)).toEqual(oneOfEach);
});
