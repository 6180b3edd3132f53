import { useParams } from '@tanstack/react-router';

/** The id of the project that the page shows, for links: `params={{ projectId }}`. */
export function useProjectId(): string {
  const { projectId } = useParams({ strict: false });
  if (projectId === undefined) throw new Error('Not the page of a project');
  return projectId;
}
