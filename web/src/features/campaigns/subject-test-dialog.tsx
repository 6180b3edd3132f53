import { z } from 'zod';
import { api, type Schema } from '../../api/client.ts';
import { ifMatch } from '../../api/if-match.ts';
import { refresh } from '../../api/query-client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import type { DialogState } from '../../ui/dialog.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { FormField } from '../../ui/form-field.tsx';
import { FormSelect } from '../../ui/form-select.tsx';
import { say } from '../../ui/toast.tsx';
import { contentShape } from '../message-editor/content.ts';

const schemaBeside = (subject: string) =>
  z.object({
    subject: contentShape.subject.refine((other) => other !== subject, 'Enter another subject'),
    share: z.string(),
  });

/** Percentages of the audience that get one of the two subjects. */
const shares = [5, 10, 20, 50].map((share) => ({
  value: String(share),
  label: share === 50 ? 'Half of the audience each' : `${share}% of the audience each`,
}));

/** Makes a draft the first of two tests of a subject, and creates the second one and the campaign to the others. */
export function SubjectTestDialog({ campaign, ...state }: DialogState & { campaign: Schema<'Campaign'> }) {
  const projectId = useProjectId();
  return (
    <FormDialog
      {...state}
      title="Test two subjects"
      action="Create the drafts"
      schema={schemaBeside(campaign.subject)}
      defaultValues={{ subject: campaign.subject, share: '10' }}
      save={async ({ subject, share }, finish) => {
        const params = { path: { id: campaign.id }, header: ifMatch(campaign) };
        try {
          await api.POST('/campaigns/{id}/subject-test', {
            params,
            body: { subject, percent: Number(share) },
          });
        } finally {
          await refresh('/campaigns');
        }
        say('Test created: send A and B');
        await finish({ to: '/projects/$projectId/campaigns', params: { projectId } });
      }}
    >
      {({ control, watch }) => (
        <>
          <p className="text-muted">
            This draft becomes test A, with the subject “{campaign.subject}”. Test B is a copy with another
            subject. Each goes to a random part of the audience.
            {watch('share') !== '50' &&
              ' A third draft goes to all others: send it last, with the subject that worked better.'}
          </p>
          <FormField control={control} name="subject" label="Subject of test B" autoFocus />
          <FormSelect control={control} name="share" label="Recipients" options={shares} />
        </>
      )}
    </FormDialog>
  );
}
