import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useState } from 'react';
import { ApiError, isTemporary } from '../api/api-error.ts';
import { appUrl } from '../api/client.ts';
import { queryClient, retryMs } from '../api/query-client.ts';
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
  const [shown] = useState(() => (isOfServer(error) ? error : toFault(error)));
  const retry = () => {
    // Redrawing the page does not repeat its queries, neither failed ones nor ones with an unusable answer, so forget
    // them.
    queryClient.removeQueries({ type: 'inactive' });
    void router.invalidate();
  };
  const isRetried = shown === error && isTemporary(error);
  const retryAgain = useEffectEvent(retry);
  useEffect(() => {
    if (!isRetried) return;
    const timer = setInterval(retryAgain, retryMs);
    return () => clearInterval(timer);
  }, [isRetried]);
  if (error instanceof MissingCode) return <MissingCodePage error={error} />;
  return (
    <Page title="Something went wrong">
      <ErrorNote error={shown} onRetry={retry} />
    </Page>
  );
}

/** Whether the error comes from a query. */
const isOfServer = (error: unknown): boolean =>
  queryClient
    .getQueryCache()
    .getAll()
    .some(({ state }) => state.error === error);

const toFault = (error: unknown): Error =>
  new Error(`The dashboard has a bug and can’t show this page (${error}).`);

const reloadedKey = 'posthaste-reloaded-for';

/** Reloads the dashboard, to get the files of the new version after an upgrade. Reloads automatically once per URL. */
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

/** Reloads only if the server answers; otherwise the browser would show its own error page. */
async function reload(): Promise<void> {
  const { ok, status } = await fetch(appUrl, { method: 'HEAD', cache: 'no-store' });
  if (!ok) throw new ApiError(status, null, {});
  sessionStorage.setItem(reloadedKey, window.location.href);
  window.location.reload();
}
