import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { ApiError } from '../api/api-error.ts';
import { appUrl } from '../api/client.ts';
import { queryClient } from '../api/query-client.ts';
import { TextLink } from '../ui/button.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { MissingCode } from '../ui/lazy-component.ts';
import { Page } from '../ui/page.tsx';
import { sayError } from '../ui/toast.tsx';

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
  if (error instanceof MissingCode) return <MissingCodePage error={error} />;
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

const reloadedKey = 'posthaste-reloaded-for';

/** Loads the dashboard again, which after an upgrade is another one. Of itself it does so once for an address. */
function MissingCodePage({ error }: { error: MissingCode }) {
  useEffect(() => {
    if (sessionStorage.getItem(reloadedKey) !== window.location.href) reload().catch(() => {});
  }, []);
  return (
    <Page title="Something went wrong">
      <ErrorNote error={error} onRetry={() => void reload().catch(sayError)} />
    </Page>
  );
}

/** Not without the server: the browser would show a page of its own. */
async function reload(): Promise<void> {
  const { ok, status } = await fetch(appUrl, { method: 'HEAD', cache: 'no-store' });
  if (!ok) throw new ApiError(status, null, {});
  sessionStorage.setItem(reloadedKey, window.location.href);
  window.location.reload();
}
