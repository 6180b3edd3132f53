import { useRouter } from '@tanstack/react-router';
import { queryClient } from '../../api/query-client.ts';

/** Continues after a sign-in: to `next`, a page of the dashboard, or to the last project. */
export function useEnter(): (next?: string) => void {
  const router = useRouter();
  return (next) => {
    queryClient.clear();
    // `//host` would leave the dashboard.
    const isOwnPage = next?.startsWith('/') && !next.startsWith('//');
    router.history.push(isOwnPage && next ? next : router.buildLocation({ to: '/' }).publicHref);
  };
}
