import { expect, it } from 'vitest';
import { toApiError } from './api-error.ts';

const messageFor = async (response: Response) => (await toApiError(response)).message;

it('says what to do when a proxy answers for the server', async () => {
  expect(await messageFor(new Response('<html>Bad Gateway</html>', { status: 502 }))).toBe(
    'The server can’t answer right now (502). Try again in a moment.',
  );
});

it('lets the server speak for itself', async () => {
  const error = { code: 'SERVICE_UNAVAILABLE', message: 'The database does not answer' };
  expect(await messageFor(Response.json({ error }, { status: 503 }))).toBe(error.message);
});
