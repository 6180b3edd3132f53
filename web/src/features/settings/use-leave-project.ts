import { useNavigate } from '@tanstack/react-router';
import { enterProject, refresh } from '../../api/query-client.ts';

/** Leaves the pages of a project that no longer exists for the user, for another project. */
export function useLeaveProject(): () => Promise<void> {
  const navigate = useNavigate();
  return async () => {
    await navigate({ to: '/account', search: {} });
    enterProject(null);
    await refresh('/users/@me/projects');
  };
}
