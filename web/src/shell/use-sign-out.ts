import { useIsMutating, useMutation } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { api } from '../api/client.ts';
import { enterProject, queryClient } from '../api/query-client.ts';
import { dismissToasts, sayError } from '../ui/toast.tsx';

const mutationKey = ['sign-out'];

/** Ends the session. A user who chooses to keep unsaved input stays on the page and signed in. */
export function useSignOut(): () => void {
  const router = useRouter();
  const { mutate } = useMutation({
    mutationKey,
    networkMode: 'always',
    async mutationFn() {
      await router.navigate({ to: '/sign-in', search: {} });
      if (!router.matchRoute({ to: '/sign-in' })) return;
      dismissToasts();
      try {
        // Also completes for a user who closes the window.
        await api.GET('/auth/logout', { keepalive: true });
        enterProject(null);
        queryClient.clear();
      } catch (error) {
        router.history.back();
        sayError(error);
      }
    },
  });
  return mutate;
}

/** Until the session has ended: its end would also end one that begins before. */
export const useIsSigningOut = (): boolean => useIsMutating({ mutationKey }) > 0;
