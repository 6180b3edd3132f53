import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { queryClient } from '../api/query-client.ts';
import { TextLink } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Page } from '../ui/page.tsx';

export function NotFoundPage() {
  return (
    <Page title="Not found">
      <p className="text-muted">
        This page does not exist, or it belongs to a project that you are not a member of.{' '}
        <TextLink to="/">Go to your project</TextLink>
      </p>
    </Page>
  );
}

export function CrashPage({ error }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    // A query that failed while the page waited for it is not asked again by drawing the page.
    queryClient.removeQueries({ predicate: ({ state }) => state.status === 'error' });
    void router.invalidate();
  };
  return (
    <Page title="Something went wrong">
      <ErrorNote error={error} onRetry={retry} />
    </Page>
  );
}
