import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { api, type Schema } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Button } from '../../ui/button.tsx';
import { ConflictDialog } from '../../ui/conflict-dialog.tsx';
import { Loaded } from '../../ui/list.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { say, sayError } from '../../ui/toast.tsx';
import { useOpen } from '../../ui/use-leave.ts';
import { useRecordForm } from '../../ui/use-record-form.ts';
import { SaveState } from '../message-editor/save-state.tsx';
import { TestEmailDialog } from '../message-editor/test-email-dialog.tsx';
import { DeleteTemplateDialog } from './delete-template-dialog.tsx';
import { templateQuery } from './queries.ts';
import { TemplateForm, templateSchema, toTemplateValues } from './template-form.tsx';
import { isUsed, UsageList, useTemplateUsage } from './template-usage.tsx';

const route = getRouteApi('/signed-in/projects/$projectId/templates/$templateId');

export function TemplatePage() {
  const { templateId } = route.useParams();
  const projectId = useProjectId();
  const query = useQuery(templateQuery(templateId));
  if (query.data !== undefined) return <TemplateEditor template={query.data} />;
  return (
    <Page
      title="Template"
      back={{ label: 'Templates', to: '/projects/$projectId/templates', params: { projectId } }}
    >
      <Loaded query={query}>{() => null}</Loaded>
    </Page>
  );
}

async function read(id: string): Promise<Schema<'Template'>> {
  const { data } = await api.GET('/templates/{id}', { params: { path: { id } } });
  if (data === undefined) throw new Error('The answer is empty');
  return data;
}

function TemplateEditor({ template }: { template: Schema<'Template'> }) {
  const { id } = template;
  const projectId = useProjectId();
  const params = { path: { id } };
  const [dialog, setDialog] = useState<'test' | 'delete' | null>(null);
  const duplicate = useDuplicate(id);
  const { form, failure, submit, run, whenValid, conflict } = useRecordForm({
    schema: templateSchema,
    stored: template,
    toValues: toTemplateValues,
    read: () => read(id),
    async write(body, header) {
      const { data } = await api.PATCH('/templates/{id}', { params: { ...params, header }, body });
      await refresh('/templates');
      return data ?? read(id);
    },
  });
  const { isDirty, isSubmitting } = form.formState;
  const usage = useTemplateUsage(id);
  return (
    <Page
      isWide
      title={template.name}
      back={{ label: 'Templates', to: '/projects/$projectId/templates', params: { projectId } }}
      actions={
        <>
          <SaveState isDirty={isDirty} savedAt={template.updatedAt} />
          <Menu
            label="More"
            actions={[
              {
                label: 'Duplicate',
                isDisabled: isDirty,
                note: isDirty ? 'Save your changes first' : undefined,
                onAction: duplicate,
              },
              { label: 'Delete …', isDangerous: true, onAction: () => setDialog('delete') },
            ]}
          />
          <Button onPress={() => whenValid(() => setDialog('test'))}>Send a test</Button>
          <Button look="primary" isPending={isSubmitting} isDisabled={!isDirty} onPress={() => submit()}>
            Save
          </Button>
        </>
      }
    >
      <TemplateForm form={form} failure={failure} />
      {usage.data && isUsed(usage.data) && (
        <Section title="Used by" description="Changes apply to the next emails they send.">
          <UsageList usage={usage.data} />
        </Section>
      )}
      <ConflictDialog conflict={conflict} />
      <TestEmailDialog
        isOpen={dialog === 'test'}
        onClose={() => setDialog(null)}
        onSend={async (email) => {
          const fault = isDirty ? await run() : null;
          if (fault !== null) throw fault;
          await api.POST('/templates/{id}/test', { params, body: { email } });
        }}
      />
      <DeleteTemplateDialog
        template={template}
        isOpen={dialog === 'delete'}
        onClose={() => setDialog(null)}
      />
    </Page>
  );
}

function useDuplicate(id: string): () => Promise<void> {
  const projectId = useProjectId();
  const open = useOpen();
  return async () => {
    try {
      const { data } = await api.POST('/templates/{id}/duplicate', { params: { path: { id } } });
      if (data === undefined) return;
      await refresh('/templates');
      say(`“${data.name}” created`);
      await open({
        to: '/projects/$projectId/templates/$templateId',
        params: { projectId, templateId: data.id },
      });
    } catch (error) {
      sayError(error);
    }
  };
}
