import { expect, it } from 'vitest';
import { eventually } from '../../test/setup/eventually.ts';
import { useTestApi } from '../../test/setup/start-test-api.ts';
import { answerCsv, csvFile } from './answer-csv.ts';
import { defineRoute } from './define-route.ts';

const routes = [
  defineRoute('GET /export', {
    auth: 'none',
    tags: ['Test'],
    summary: 'A file that fails after its first row',
    responses: csvFile,
    async handler(ctx) {
      await answerCsv(ctx, 'owner', async () => ({
        name: 'Grüße.csv',
        file: (async function* () {
          yield 'email\r\n';
          throw new Error('the database is gone');
        })(),
      }));
    },
  }),
];
const { api } = useTestApi({ routes, services: null });

it('a file that fails half-way breaks off, so that nobody takes it for whole, and the log says why', async () => {
  const answer = await fetch(`${api.url}/export`);
  expect(answer.status).toBe(200);
  await expect(answer.text()).rejects.toThrow('terminated');
  const [line] = await eventually(
    async () => api.logLines.filter(({ level }) => level === 50),
    ({ length }) => length === 1,
  );
  expect(line).toMatchObject({
    requestId: answer.headers.get('X-Request-Id'),
    err: { cause: { message: 'the database is gone' } },
  });
});
