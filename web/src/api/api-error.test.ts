import { expect, it } from 'vitest';
import { requireAnswer, toApiError } from './api-error.ts';

const messageFor = async (response: Response) => (await toApiError(response)).message;

it.each([
  [403, 'The server refused this (403).'],
  [408, 'The server can’t answer right now (408). Try again in a moment.'],
  [413, 'This is larger than the server accepts (413).'],
  [429, 'Too many requests at once (429). Try again in a minute.'],
  [502, 'The server can’t answer right now (502). Try again in a moment.'],
])('explains a bare %s from a proxy', async (status, message) => {
  expect(await messageFor(new Response('<html>Nothing for people</html>', { status }))).toBe(message);
});

it.each<[string, Response]>([
  [
    'the page of a network',
    new Response('<html>Sign in</html>', { headers: { 'Content-Type': 'text/html' } }),
  ],
  ['nothing', new Response(null)],
])('rejects %s as an answer', (_, response) => {
  expect(() => requireAnswer(response)).toThrow('The answer did not come from the server.');
});

it.each<[string, Response]>([
  ['JSON', Response.json({})],
  ['a CSV file', new Response('row', { headers: { 'Content-Type': 'text/csv; charset=utf-8' } })],
  ['the empty answer to a deletion', new Response(null, { status: 204 })],
])('accepts %s as an answer', (_, response) => {
  requireAnswer(response);
});

it.each([
  [{ 'Retry-After': '20' }, 20],
  [{ 'Retry-After': 'Wed, 21 Oct 2026 07:28:00 GMT' }, 0],
  [{}, 0],
])('reads after how many seconds to try again from %j', async (headers, seconds) => {
  const { retryAfterSeconds } = await toApiError(new Response('<html></html>', { status: 429, headers }));
  expect(retryAfterSeconds).toBe(seconds);
});

it('shows the message of the API as it is', async () => {
  const error = { code: 'SERVICE_UNAVAILABLE', message: 'The database does not answer' };
  expect(await messageFor(Response.json({ error }, { status: 503 }))).toBe(error.message);
});
