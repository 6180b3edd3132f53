import { useQuery } from '@tanstack/react-query';
import { api } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { useProject } from '../../shell/session.ts';
import { Button } from '../../ui/button.tsx';
import { carryInput, useApiForm } from '../../ui/form.ts';
import { Page } from '../../ui/page.tsx';
import { say } from '../../ui/toast.tsx';
import { useIsShown, useLeave } from '../../ui/use-leave.ts';
import { emptyContent } from '../message-editor/content.ts';
import { templateListQuery } from './queries.ts';
import { TemplateForm, type TemplateValues, templateSchema } from './template-form.tsx';

export function NewTemplatePage() {
  const { id: projectId, language } = useProject();
  const leave = useLeave();
  const isShown = useIsShown();
  const { form, failure, submit } = useApiForm<TemplateValues>({
    schema: templateSchema,
    defaultValues: { name: '', description: '', ...emptyContent(language) },
    async save(body, { getValues }) {
      const entered = getValues();
      const { data } = await api.POST('/templates', { body });
      if (data === undefined) return;
      await refresh('/templates');
      say('Template created');
      if (isShown()) carryInput(data.id, getValues(), entered);
      await leave({
        to: '/projects/$projectId/templates/$templateId',
        params: { projectId, templateId: data.id },
      });
    },
  });
  const { data: newest } = useQuery(templateListQuery({}));
  return (
    <Page
      isWide
      title="New template"
      back={{ label: 'Templates', to: '/projects/$projectId/templates', params: { projectId } }}
      actions={
        <Button look="primary" isPending={form.formState.isSubmitting} onPress={() => submit()}>
          Create template
        </Button>
      }
    >
      <TemplateForm form={form} failure={failure} usualSender={newest && (newest.data[0] ?? null)} />
    </Page>
  );
}
