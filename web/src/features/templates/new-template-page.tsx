import { useNavigate } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { Button } from '../../ui/button.tsx';
import { useApiForm } from '../../ui/form.ts';
import { Page } from '../../ui/page.tsx';
import { say } from '../../ui/toast.tsx';
import { emptyContent } from '../message-editor/content.ts';
import { TemplateForm, type TemplateValues, templateSchema } from './template-form.tsx';

export function NewTemplatePage() {
  const projectId = useProjectId();
  const navigate = useNavigate();
  const { form, failure, submit } = useApiForm<TemplateValues>({
    schema: templateSchema,
    defaultValues: { name: '', description: '', ...emptyContent },
    async save(body) {
      const { data } = await api.POST('/templates', { body });
      if (data === undefined) return;
      await refresh('/templates');
      say('Template created');
      await navigate({
        to: '/projects/$projectId/templates/$templateId',
        params: { projectId, templateId: data.id },
        ignoreBlocker: true,
      });
    },
  });
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
      <TemplateForm form={form} failure={failure} />
    </Page>
  );
}
