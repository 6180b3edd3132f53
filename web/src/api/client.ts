import createFetchClient, { type Middleware } from 'openapi-fetch';
import createClient from 'openapi-react-query';
import { type ApiError, requireAnswer, toApiError } from './api-error.ts';
import { repeatsOfLostAnswers } from './lost-answers.ts';
import type { components, paths } from './schema.d.ts';

/** A type of the API by its name in `/openapi.json`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

/** The URL of the dashboard, ending in `/app/`; the API is one level above. */
export const appUrl = new URL('.', document.baseURI);
export const apiUrl = new URL('..', appUrl);

let projectId: string | null = null;

/** Later requests are for this project. */
export function selectProject(id: string | null): void {
  projectId = id;
}

/**
 * Names the project of a request that uses the session cookie. A task of several calls passes the same headers to each,
 * so that all of them are for one project.
 */
export function projectHeaders(): Record<string, string> {
  return projectId === null ? {} : { 'X-Project-Id': projectId };
}

let onSignedOut: (() => void) | null = null;

/** Sets what to do when a call is rejected because the session has ended. @returns a function that unsets it */
export function whenSignedOut(handler: () => void): () => void {
  onSignedOut = handler;
  return () => {
    onSignedOut = null;
  };
}

let onNotFound: (() => void) | null = null;

/**
 * Sets what to do when a call gets 404, perhaps because the user lost access to the project. @returns a function that
 * unsets it
 */
export function whenNotFound(handler: () => void): () => void {
  onNotFound = handler;
  return () => {
    onNotFound = null;
  };
}

let sessions = 0;
const sessionOf = new WeakMap<Request, number>();

/** Later requests use another session; a 401 to an earlier request says nothing about it. */
export function beginSession(): void {
  sessions += 1;
}

/** For {@link refusalOf}: the session that a request uses if it starts now. */
export const currentSession = (): number => sessions;

/** Stays on the page until after the user has signed in again in the dialog, hence the tense. */
const sessionEnded = 'The session had ended, so this was not done. Try again once you are signed in.';

/**
 * Turns an error response into the error to throw. If the session has ended, asks the user to sign in again.
 *
 * @param begun session of the request; undefined if a 401 means something else, such as a wrong password
 */
export async function refusalOf(response: Response, begun: number | undefined): Promise<ApiError> {
  const hasEnded = response.status === 401 && begun !== undefined;
  if (hasEnded && begun === sessions) onSignedOut?.();
  if (response.status === 404) onNotFound?.();
  const error = await toApiError(response);
  if (hasEnded) error.message = sessionEnded;
  return error;
}

const session: Middleware = {
  onRequest({ request, schemaPath }) {
    // A wrong password is a 401, too.
    if (!schemaPath.startsWith('/auth/')) sessionOf.set(request, sessions);
    for (const [name, value] of Object.entries(projectHeaders())) {
      if (!request.headers.has(name)) request.headers.set(name, value);
    }
    return request;
  },
  async onResponse({ request, response }) {
    if (response.ok) return requireAnswer(response);
    throw await refusalOf(response, sessionOf.get(request));
  },
};

/**
 * Calls outside components: `await api.POST('/contacts', { body })`. Throws {@link ApiError} for every error response.
 */
export const api = createFetchClient<paths>({ baseUrl: apiUrl.href.replace(/\/$/, '') });
// The last one is the first to see an answer.
api.use(
  session,
  repeatsOfLostAnswers(() => onNotFound?.()),
);

/** The same calls as queries and mutations: `$api.useQuery('get', '/contacts')`. */
export const $api = createClient(api);
