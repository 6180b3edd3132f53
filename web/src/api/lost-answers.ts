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

/** Where to read a record that one of these calls created; null if its caller needs only the id. */
const recordsOf: Readonly<Record<Creating, string | null>> = {
  '/campaigns': 'campaigns',
  '/campaigns/{id}/duplicate': 'campaigns',
  '/campaigns/{id}/subject-test': null,
  '/domains': null,
  '/segments': 'segments',
  '/templates': 'templates',
  '/templates/{id}/duplicate': 'templates',
  '/users/@me/projects': null,
  '/workflows': 'workflows',
  '/workflows/{id}/duplicate': 'workflows',
  '/workflows/{id}/executions': null,
};

const isCreating = (path: string): path is Creating => path in recordsOf;

/** After this time, the same input is meant as another record. */
const repeatMs = 10 * 60_000;
/** A call that has no outcome after this time never gets one: its server was killed. */
const longestCallMs = 60_000;

/** When calls were sent first, by method, address, project and input. */
const unanswered = new Map<string, { key: string; sentAt: number }>();
const callOf = new WeakMap<Request, { call: string; isRepeat: boolean; sentAt: number }>();

/** Unlike `randomUUID`, available without HTTPS, too. */
const newKey = () => crypto.getRandomValues(new Uint32Array(4)).join('-');

/**
 * Makes it safe to repeat a call whose answer was lost or says nothing certain (5xx): a repeat with the same input creates
 * nothing but answers with the record of the first call, and a deletion whose record is gone succeeds.
 */
export function repeatsOfLostAnswers(apiUrl: URL): Middleware {
  return {
    async onRequest({ request, schemaPath }) {
      const isCreation = request.method === 'POST' && isCreating(schemaPath);
      if (!isCreation && request.method !== 'DELETE') return;
      const project = request.headers.get('X-Project-Id');
      const call = JSON.stringify([request.method, request.url, project, await request.clone().text()]);
      const earlier = unanswered.get(call);
      const isRepeat = earlier !== undefined && Date.now() - earlier.sentAt < repeatMs;
      const first = isRepeat ? earlier : { key: newKey(), sentAt: Date.now() };
      unanswered.set(call, first);
      callOf.set(request, { call, isRepeat, sentAt: first.sentAt });
      if (isCreation) request.headers.set('Idempotency-Key', first.key);
    },
    async onResponse({ request, response, schemaPath }) {
      const sent = callOf.get(request);
      if (sent === undefined || response.status >= 500) return;
      const refusal = response.status === 409 ? await toApiError(response.clone()) : undefined;
      const isReused = refusal?.code === 'IDEMPOTENCY_KEY_REUSED';
      if (isReused && refusal.details.originalStatusCode === null && Date.now() - sent.sentAt < longestCallMs)
        throw stillRunning(refusal);
      const answer = isReused ? await firstAnswer(apiUrl, request, schemaPath, refusal) : response;
      unanswered.delete(sent.call);
      if (answer === undefined) throw outcomeOpen(refusal);
      return request.method === 'DELETE' && response.status === 404 && sent.isRepeat
        ? new Response(null, { status: 204 })
        : answer;
    },
  };
}

/** @returns the record that the first call created; undefined if its outcome can't be known */
async function firstAnswer(
  apiUrl: URL,
  request: Request,
  path: string,
  { details: { originalStatusCode, createdId } }: ApiError,
): Promise<Response | undefined> {
  if (originalStatusCode !== 201) return undefined;
  const records = isCreating(path) ? recordsOf[path] : null;
  if (records === null) return Response.json({ id: createdId }, { status: 201 });
  const read = new URL(`${records}/${createdId}`, apiUrl);
  const answer = await fetch(read, { headers: request.headers });
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
