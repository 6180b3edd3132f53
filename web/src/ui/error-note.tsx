import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { ApiError, messageOf } from '../api/api-error.ts';
import { Button } from './button.tsx';
import { classNames } from './class-names.ts';

interface ErrorNoteProps {
  error: unknown;
  onRetry?: () => void;
  isRetrying?: boolean;
  className?: string;
}

/** An error message with the request id for the logs; renders nothing without an error. */
export function ErrorNote({ error, onRetry, isRetrying = false, className }: ErrorNoteProps) {
  if (!error) return null;
  const issues = error instanceof ApiError ? error.issues : [];
  const isGone = error instanceof ApiError && error.status === 404;
  const ofFile = issues.length === 1 ? issues.find(({ field }) => field === 'file') : undefined;
  // Above the issues of a validation error, the API's message is meant for programmers.
  const isInvalid = error instanceof ApiError && error.code === 'VALIDATION_ERROR';
  const headline = isInvalid && issues.length > 0 ? 'This can’t be accepted:' : messageOf(error);
  return (
    <div role="alert" className={classNames('rounded-md bg-bad-soft px-3 py-2 text-sm text-bad', className)}>
      <p>{ofFile?.message ?? headline}</p>
      {error instanceof ApiError && (
        <>
          {issues.length > 0 && ofFile === undefined && (
            <ul className="mt-1 list-disc pl-4">
              {issues.map((issue) => (
                <li key={`${issue.field} ${issue.message}`}>
                  {issue.field === '' ? '' : `${issue.field}: `}
                  {issue.message}
                </li>
              ))}
            </ul>
          )}
          {error.suggestion && <p className="mt-1">{error.suggestion}</p>}
          {error.requestId && <RequestId id={error.requestId} />}
        </>
      )}
      {isGone && <p className="mt-1">Perhaps someone has deleted it.</p>}
      {onRetry && !isGone && issues.length === 0 && (
        <Button className="mt-2" isPending={isRetrying} onPress={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** The error of a form whose button stays in view: scrolls into view when it appears. */
export function FormError({ error }: Pick<ErrorNoteProps, 'error'>) {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (error) frame.current?.scrollIntoView({ block: 'nearest' });
  }, [error]);
  return (
    <div ref={frame} className="scroll-my-[calc(var(--page-header,0px)+1rem)] empty:hidden">
      <ErrorNote error={error} />
    </div>
  );
}

/** Links to the request in the project's request log, in a new tab, because the page may hold unsaved input. */
function RequestId({ id }: { id: string }) {
  const { projectId } = useParams({ strict: false });
  return (
    <p className="mt-1 font-mono text-xs break-all opacity-80">
      Request{' '}
      {projectId === undefined ? (
        id
      ) : (
        <Link
          to="/projects/$projectId/developers"
          params={{ projectId }}
          search={{ tab: 'requests', requestId: id, by: 'all' }}
          target="_blank"
          className="underline underline-offset-2"
        >
          {id}
        </Link>
      )}
    </p>
  );
}
