import { expect, it } from 'vitest';
import { requireAnswer, toApiError } from './api-error.ts';

const messageFor = async (response: Response) => (await toApiError(response)).message;

it.each([
  [403, 'The server refused this (403).'],
  [408, 'The server can’t answer right now (408). Try again in a moment.'],
  [413, 'This is larger than the server accepts (413).'],
  [429, 'These are too many requests at once (429). Try again in a minute.'],
  [502, 'The server can’t answer right now (502). Try again in a moment.'],
])('says what a bare %s of a proxy means', async (status, message) => {
  expect(await messageFor(new Response('<html>Nothing for people</html>', { status }))).toBe(message);
});

it.each<[string, Response]>([
  [
    'the page of a network',
    new Response('<html>Sign in</html>', { headers: { 'Content-Type': 'text/html' } }),
  ],
  ['nothing', new Response(null)],
])('does not take %s for an answer', (_, response) => {
  expect(() => requireAnswer(response)).toThrow('Something other than the server has answered.');
});

it.each<[string, Response]>([
  ['JSON', Response.json({})],
  ['a CSV file', new Response('row', { headers: { 'Content-Type': 'text/csv; charset=utf-8' } })],
  ['the empty answer to a deletion', new Response(null, { status: 204 })],
])('takes %s for an answer', (_, response) => {
  requireAnswer(response);
});

it('lets the server speak for itself', async () => {
  const error = { code: 'SERVICE_UNAVAILABLE', message: 'The database does not answer' };
  expect(await messageFor(Response.json({ error }, { status: 503 }))).toBe(error.message);
});
