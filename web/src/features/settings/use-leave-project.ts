import { useNavigate } from '@tanstack/react-router';
import { enterProject, refresh } from '../../api/query-client.ts';

/** Goes on to the other projects, from one that no longer exists for the user. */
export function useLeaveProject(): () => Promise<void> {
  const navigate = useNavigate();
  return async () => {
    await navigate({ to: '/account', search: {} });
    enterProject(null);
    await refresh('/users/@me/projects');
  };
}
