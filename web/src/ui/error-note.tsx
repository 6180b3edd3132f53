import { Link, useParams } from '@tanstack/react-router';
import { ApiError, messageOf } from '../api/api-error.ts';
import { Button } from './button.tsx';
import { classNames } from './class-names.ts';

interface ErrorNoteProps {
  error: unknown;
  onRetry?: () => void;
  className?: string;
}

/** An error message with the request id for the logs; renders nothing without an error. */
export function ErrorNote({ error, onRetry, className }: ErrorNoteProps) {
  if (!error) return null;
  return (
    <div role="alert" className={classNames('rounded-md bg-bad-soft px-3 py-2 text-sm text-bad', className)}>
      <p>{messageOf(error)}</p>
      {error instanceof ApiError && (
        <>
          {error.issues.length > 0 && (
            <ul className="mt-1 list-disc pl-4">
              {error.issues.map((issue) => (
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
      {onRetry && (
        <Button className="mt-2" onPress={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** Leads to the request in the log of the project, beside the page: its forms may hold what nobody has saved. */
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
