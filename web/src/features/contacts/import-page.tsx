import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Page } from '../../ui/page.tsx';
import { useOpen } from '../../ui/use-leave.ts';
import { ImportChoice } from './import-choice.tsx';
import { ImportPreview } from './import-preview.tsx';
import { ImportRun } from './import-run.tsx';

const route = getRouteApi('/signed-in/projects/$projectId/contacts/import');

/** Choice of file, preview and import. The URL names the running import, so the page can be reopened. */
export function ImportPage() {
  const projectId = useProjectId();
  const { job, segment } = route.useSearch();
  const navigate = route.useNavigate();
  const open = useOpen();
  const [file, setFile] = useState<File | null>(null);
  return (
    <Page
      title="Import contacts"
      back={{ label: 'Contacts', to: '/projects/$projectId/contacts', params: { projectId } }}
    >
      {job !== undefined ? (
        <ImportRun
          jobId={job}
          segmentId={segment}
          onAgain={() => {
            setFile(null);
            void navigate({ search: {} });
          }}
        />
      ) : file === null ? (
        <ImportChoice onFile={setFile} />
      ) : (
        <ImportPreview
          file={file}
          onBack={() => setFile(null)}
          onStarted={(job, segment) =>
            void open({
              to: '/projects/$projectId/contacts/import',
              params: { projectId },
              search: { job, segment },
            })
          }
        />
      )}
    </Page>
  );
}
