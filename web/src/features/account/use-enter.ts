import { useRouter } from '@tanstack/react-router';
import { queryClient } from '../../api/query-client.ts';

/**
 * Continues after a sign-in: to `next`, a page of the dashboard, or to the last project. Resolves once it shows, so that
 * nobody uses a link twice meanwhile.
 */
export function useEnter(): (next?: string) => Promise<void> {
  const router = useRouter();
  return (next) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const unsubscribe = router.subscribe('onResolved', () => {
      unsubscribe();
      resolve();
    });
    queryClient.clear();
    // `//host` would leave the dashboard.
    const isOwnPage = next?.startsWith('/') && !next.startsWith('//');
    router.history.push(isOwnPage && next ? next : router.buildLocation({ to: '/' }).publicHref);
    return promise;
  };
}
