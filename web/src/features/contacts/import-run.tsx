import { useEffect } from 'react';
import { ApiError, isTemporary } from '../../api/api-error.ts';
import { $api, api, type Schema } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { download } from '../../ui/download.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Loaded } from '../../ui/list.tsx';
import { count, quantity } from '../../ui/numbers.ts';
import { ProgressLine } from '../../ui/progress-line.tsx';
import { sayError } from '../../ui/toast.tsx';
import { ImportErrors } from './import-errors.tsx';
import { ImportNotices } from './import-notices.tsx';
import { refreshContacts } from './refresh-contacts.ts';
import { RepeatedRows } from './repeated-rows.tsx';

const pollMs = 1_000;
/** The most rejected rows that the API keeps per import. */
const mostKept = 10_000;

const pauseAfter = (error: unknown): number =>
  error instanceof ApiError ? Math.max(pollMs, error.retryAfterSeconds * 1000) : pollMs;

interface ImportRunProps {
  jobId: string;
  /** The segment that the contacts join. */
  segmentId: string | undefined;
  onAgain: () => void;
}

/** A running or finished import. It continues after the page is closed. */
export function ImportRun({ jobId, segmentId, onAgain }: ImportRunProps) {
  const projectId = useProjectId();
  const params = { path: { jobId } };
  const query = $api.useQuery(
    'get',
    '/contacts/import/{jobId}',
    { params },
    {
      refetchInterval: ({ state: { data, error } }) =>
        data?.finishedAt != null || (error !== null && !isTemporary(error)) ? false : pauseAfter(error),
    },
  );
  const isOver = query.data?.finishedAt != null;
  useEffect(() => {
    if (isOver) void refreshContacts();
  }, [isOver]);
  const saveErrors = async () => {
    const { data } = await api.GET('/contacts/import/{jobId}/errors.csv', { params, parseAs: 'blob' });
    if (data) download(data as Blob, 'rejected-rows.csv');
  };
  return (
    <Loaded query={query}>
      {({ state, progress, result, failedReason }) => (
        <div className="flex max-w-2xl flex-col gap-4">
          <ProgressLine label="Progress" value={progress} max={100} />
          <ErrorNote error={query.error} onRetry={() => void query.refetch()} />
          <p role="status">
            {state === 'completed' && 'The import is complete.'}
            {state === 'failed' && `The import has failed. ${failedReason ?? ''}`}
            {!isOver && !query.error && `${progress} % done. You can leave this page; the import continues.`}
          </p>
          {result && <ImportResult {...result} />}
          {isOver && (
            <div className="flex flex-wrap gap-2">
              {segmentId === undefined ? (
                <ButtonLink
                  look="primary"
                  to="/projects/$projectId/contacts"
                  params={{ projectId }}
                  search={{}}
                >
                  Show the contacts
                </ButtonLink>
              ) : (
                <ButtonLink
                  look="primary"
                  to="/projects/$projectId/segments/$segmentId"
                  params={{ projectId, segmentId }}
                  search={{}}
                >
                  Show the segment
                </ButtonLink>
              )}
              {result && result.skipped > 0 && (
                <Button onPress={() => void saveErrors().catch(sayError)}>
                  {result.skipped > mostKept
                    ? `Download the first ${count(mostKept)} rejected rows`
                    : `Download ${quantity(result.skipped, 'rejected row')}`}
                </Button>
              )}
              <Button onPress={onAgain}>Import another file</Button>
            </div>
          )}
          {isOver && result && result.skipped > 0 && (
            <p className="text-sm text-muted">
              The downloaded rows have all columns of your file, and in front the reason. Correct them, then
              import that file.
            </p>
          )}
        </div>
      )}
    </Loaded>
  );
}

type ImportResultProps = Record<'created' | 'updated' | 'repeated' | 'skipped', number> &
  Pick<Schema<'ImportPreview'>, 'errors' | 'notices'>;

function ImportResult({ created, updated, repeated, skipped, errors, notices }: ImportResultProps) {
  return (
    <>
      <ul className="flex flex-col gap-1" data-numeric>
        <li>{quantity(created, 'contact')} created</li>
        <li>{quantity(updated, 'row updated a contact', 'rows updated contacts')}</li>
        {repeated > 0 && <RepeatedRows repeated={repeated} />}
        <li className={skipped > 0 ? 'text-bad' : ''}>{quantity(skipped, 'row')} rejected</li>
      </ul>
      <ImportNotices notices={notices} />
      <ImportErrors errors={errors} total={skipped} />
    </>
  );
}
