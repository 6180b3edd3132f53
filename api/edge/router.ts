import createFindMyWay, { type HTTPMethod, type HTTPVersion } from 'find-my-way';
import type { PathParameters, RoutePipeline } from './pipeline.ts';
import type { HttpMethod, Route } from './route.ts';

/** Longest value of a path parameter; tokens of public links and event names are the long ones. */
const maxParameterLength = 2_048;

const routedMethods: readonly string[] = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
] satisfies HTTPMethod[];

/** A declared route and the function that serves it. */
export interface RouteEntry<S> {
  route: Route<S>;
  serve: RoutePipeline;
}

export type Match<S> = { entry: RouteEntry<S>; params: PathParameters } | 'malformed path' | undefined;

export interface Router<S> {
  /** The route for a method and a URL (a query is ignored); `HEAD` finds the `GET` route. */
  find(method: string, url: string): Match<S>;
  /** Methods that some route serves at this URL. */
  methodsAt(url: string): string[];
}

/** @throws Error when two routes have the same method and path */
export function createRouter<S>(entries: readonly RouteEntry<S>[]): Router<S> {
  const router = createFindMyWay<HTTPVersion.V1>({
    ignoreTrailingSlash: true,
    maxParamLength: maxParameterLength,
    onBadUrl: () => undefined,
  });
  const noHandler = () => undefined;
  for (const entry of entries) {
    const { method, path } = entry.route;
    const methods: HttpMethod[] | HTTPMethod[] = method === 'GET' ? ['GET', 'HEAD'] : [method];
    router.on(methods, path, noHandler, entry);
  }
  router.compile();

  function find(method: string, url: string): Match<S> {
    if (!isRouted(method)) return undefined;
    const found = router.find(method, url);
    if (found === null) return undefined;
    // The router answers a path that can't be decoded with a result of its own, without our entry.
    const entry: RouteEntry<S> | null | undefined = found.store;
    return entry ? { entry, params: found.params } : 'malformed path';
  }

  return {
    find,
    methodsAt: (url) =>
      routedMethods.filter((method) => {
        const match = find(method, url);
        return match !== undefined && match !== 'malformed path';
      }),
  };
}

function isRouted(method: string): method is 'GET' | 'HEAD' | HttpMethod {
  return routedMethods.includes(method);
}
