import { useParams } from '@tanstack/react-router';

/** Of the project that the page shows; links need it: `params={{ projectId }}`. */
export function useProjectId(): string {
  const { projectId } = useParams({ strict: false });
  if (projectId === undefined) throw new Error('Not the page of a project');
  return projectId;
}
