import type { Middleware } from 'openapi-fetch';
import { ApiError, toApiError } from './api-error.ts';
import type { paths } from './schema.d.ts';

type HeaderOf<Calls> = Calls extends {
  post: { parameters: { header?: infer Header }; responses: { 201: unknown } };
}
  ? NonNullable<Header>
  : never;
type TakesKey<Header> = [Header] extends [never]
  ? false
  : 'Idempotency-Key' extends keyof Header
    ? true
    : false;

/** The paths that create a record and take an `Idempotency-Key`. */
type Creating = {
  [Path in keyof paths]: true extends TakesKey<HeaderOf<paths[Path]>> ? Path : never;
}[keyof paths];

/** Where to read a record that one of these calls created, relative to the call; null if it can't be read by its id. */
const recordOf: Readonly<Record<Creating, ((id: string) => string) | null>> = {
  '/campaigns': (id) => `campaigns/${id}`,
  '/campaigns/{id}/duplicate': (id) => `../${id}`,
  '/campaigns/{id}/subject-test': null,
  '/domains': (id) => `domains/${id}/verify`,
  '/segments': (id) => `segments/${id}`,
  '/templates': (id) => `templates/${id}`,
  '/templates/{id}/duplicate': (id) => `../${id}`,
  '/users/@me/projects': null,
  '/workflows': (id) => `workflows/${id}`,
  '/workflows/{id}/duplicate': (id) => `../${id}`,
  '/workflows/{id}/executions': (id) => `executions/${id}`,
};

const isCreating = (path: string): path is Creating => path in recordOf;

/** After this time, the same input is meant as another record. */
const repeatMs = 10 * 60_000;
/** A call that has no outcome after this time never gets one: its server was killed. */
const longestCallMs = 60_000;

/** When calls were sent first, by method, address, project and input. */
const unanswered = new Map<string, { key: string; sentAt: number }>();
const callOf = new WeakMap<Request, { call: string; isRepeat: boolean; sentAt: number }>();

/** Unlike `randomUUID`, available without HTTPS, too. */
const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join('-');

function forgetOld(): void {
  for (const [call, { sentAt }] of unanswered) if (Date.now() - sentAt >= repeatMs) unanswered.delete(call);
}

/**
 * Makes it safe to repeat a call whose answer was lost or says nothing certain: a repeat with the same input creates
 * nothing but answers with the record of the first call, and a deletion whose record is gone succeeds. A refusal ends
 * nothing, as it may come before the server looks for the first call.
 *
 * @param onGone called when a deletion finds nothing to delete
 */
export function repeatsOfLostAnswers(onGone: () => void): Middleware {
  return {
    async onRequest({ request, schemaPath }) {
      const isCreation = request.method === 'POST' && isCreating(schemaPath);
      if (!isCreation && request.method !== 'DELETE') return;
      forgetOld();
      const project = request.headers.get('X-Project-Id');
      const call = JSON.stringify([request.method, request.url, project, await request.clone().text()]);
      const earlier = unanswered.get(call);
      const first = earlier ?? { key: newKey(), sentAt: Date.now() };
      unanswered.set(call, first);
      callOf.set(request, { call, isRepeat: earlier !== undefined, sentAt: first.sentAt });
      if (isCreation) request.headers.set('Idempotency-Key', first.key);
    },
    async onResponse({ request, response, schemaPath }) {
      const sent = callOf.get(request);
      if (sent === undefined) return;
      if (request.method === 'DELETE' && response.status === 404 && sent.isRepeat) {
        unanswered.delete(sent.call);
        onGone();
        return new Response(null, { status: 204 });
      }
      const refusal = response.status === 409 ? await toApiError(response.clone()) : undefined;
      const isReused = refusal?.code === 'IDEMPOTENCY_KEY_REUSED';
      if (isReused && refusal.details.originalStatusCode === null && Date.now() - sent.sentAt < longestCallMs)
        throw stillRunning(refusal);
      const answer = isReused ? await firstAnswer(request, schemaPath, refusal) : response;
      if (answer === undefined || answer.ok) unanswered.delete(sent.call);
      if (answer === undefined) throw outcomeOpen(refusal);
      return answer;
    },
  };
}

/** @returns the record that the first call created; undefined if its outcome can't be known, or the record is gone */
async function firstAnswer(
  { url, headers }: Request,
  path: string,
  { details: { originalStatusCode, createdId } }: ApiError,
): Promise<Response | undefined> {
  if (originalStatusCode !== 201) return undefined;
  const address = isCreating(path) ? recordOf[path]?.(String(createdId)) : undefined;
  if (address === undefined) return Response.json({ id: createdId }, { status: 201 });
  const answer = await fetch(new URL(address, url), { headers });
  return answer.status === 404 ? undefined : answer;
}

const stillRunning = ({ requestId }: ApiError): ApiError =>
  new ApiError(409, requestId, {
    message: 'The server may still be working on the first try. Try again in a moment.',
  });

const outcomeOpen = (refusal: ApiError | undefined): ApiError =>
  new ApiError(409, refusal?.requestId ?? null, {
    message: 'The first try may have worked. Look at the list before you try again.',
  });
