import type { IncomingMessage, ServerResponse } from 'node:http';
import findMyWay from 'find-my-way';

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  params: Record<string, string | undefined>;
  query: Record<string, string | undefined>;
}

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  path: string;
  handle: (exchange: Exchange) => Promise<void> | void;
}

/** Identities and configuration sets are in the path, so a parameter may be as long as an address. */
const maximumParameterLength = 500;

/** @param onError answers errors that a handler throws; the answer's shape depends on the path */
export function createRouter(
  routes: readonly Route[],
  fallback: (request: IncomingMessage, response: ServerResponse) => void,
  onError: (error: unknown, request: IncomingMessage, response: ServerResponse) => void,
): (request: IncomingMessage, response: ServerResponse) => void {
  const router = findMyWay<findMyWay.HTTPVersion.V1>({
    ignoreTrailingSlash: true,
    maxParamLength: maximumParameterLength,
    defaultRoute: fallback,
  });
  for (const route of routes) {
    router.on(route.method, route.path, (request, response, params, _store, query) => {
      run(route, { request, response, params, query }).catch((error: unknown) =>
        onError(error, request, response),
      );
    });
  }
  return (request, response) => router.lookup(request, response);
}

async function run(route: Route, exchange: Exchange): Promise<void> {
  await route.handle(exchange);
}
