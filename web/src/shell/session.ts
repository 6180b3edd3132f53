import { useSuspenseQuery } from '@tanstack/react-query';
import { $api, type Schema } from '../api/client.ts';
import { useProjectId } from './use-project-id.ts';

export const userQuery = $api.queryOptions('get', '/users/@me', {}, { staleTime: 60_000 });
export const projectsQuery = $api.queryOptions('get', '/users/@me/projects', {}, { staleTime: 60_000 });

/** The project of the page. Only for components below the project route, which has loaded it. */
export function useProject(): Schema<'Project'> {
  const projectId = useProjectId();
  const { data } = useSuspenseQuery(projectsQuery);
  const project = data.data.find(({ id }) => id === projectId);
  if (project === undefined) throw new Error('This project does not exist, or you are not a member of it.');
  return project;
}

/** May change members, keys, billing and settings of the project. */
export const isAdmin = (project: Schema<'Project'>): boolean => project.role !== 'MEMBER';
