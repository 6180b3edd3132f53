import type { ErrorComponentProps } from '@tanstack/react-router';
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

export function CrashPage({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="Something went wrong">
      <ErrorNote error={error} onRetry={reset} />
    </Page>
  );
}
