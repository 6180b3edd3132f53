import { useRouter } from '@tanstack/react-router';
import { api } from '../api/client.ts';
import { enterProject, queryClient } from '../api/query-client.ts';
import { sayError } from '../ui/toast.tsx';

/** Ends the session. A user who chooses to keep unsaved input stays on the page and signed in. */
export function useSignOut(): () => Promise<void> {
  const router = useRouter();
  return async () => {
    await router.navigate({ to: '/sign-in', search: {} });
    if (!router.matchRoute({ to: '/sign-in' })) return;
    try {
      await api.GET('/auth/logout');
      enterProject(null);
      queryClient.clear();
    } catch (error) {
      router.history.back();
      sayError(error);
    }
  };
}
