import { QueryClient } from '@tanstack/react-query';
import { ApiError } from './api-error.ts';
import { selectProject } from './client.ts';

/** Calls about the user; their results stay valid when the project changes. */
const ofPerson = ['/users/@me', '/users/@me/projects', '/auth/sessions', '/config', '/auth/oauth-config'];

/** How often queries that failed because of an outage are retried. */
export const retryMs = 10_000;

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Even without the Internet, a server on this machine or network may answer; if not, the page says so.
      networkMode: 'always',
      refetchOnReconnect: true,
      retry: (failures, error) => failures < 2 && !(error instanceof ApiError && error.status < 500),
    },
  },
});

let current: string | null = null;

/** Uses this project for all later calls and drops the cached data of another project. */
export function enterProject(projectId: string | null): void {
  if (projectId === current) return;
  current = projectId;
  selectProject(projectId);
  queryClient.removeQueries({ predicate: ({ queryKey }) => !ofPerson.includes(String(queryKey[1])) });
}

/** Refetches the active queries whose path begins with one of these. */
export async function refresh(...paths: string[]): Promise<void> {
  await queryClient.invalidateQueries({
    predicate: ({ queryKey }) => paths.some((path) => String(queryKey[1]).startsWith(path)),
  });
}
