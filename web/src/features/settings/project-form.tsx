import { Controller } from 'react-hook-form';
import { api, type Schema } from '../../api/client.ts';
import { useIfMatch } from '../../api/if-match.ts';
import { refresh } from '../../api/query-client.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Switch } from '../../ui/field.tsx';
import { acceptValues, useApiForm } from '../../ui/form.ts';
import { FormField } from '../../ui/form-field.tsx';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { Section } from '../../ui/page.tsx';
import { say } from '../../ui/toast.tsx';
import { BrandFields } from './brand-fields.tsx';
import { projectSchema, toSettings, toValues } from './project-values.ts';

/** Saves against the version that the form opened with, so that nobody overwrites another user's change. */
export function ProjectForm({ project }: { project: Schema<'Project'> }) {
  const saveSeen = useIfMatch(project, 'the project');
  const { form, failure, submit } = useApiForm({
    schema: projectSchema,
    defaultValues: toValues(project),
    save: async (values) => {
      const entered = form.getValues();
      await saveSeen(async (header) => {
        const params = { path: { id: project.id }, header };
        const answer = await api.PATCH('/users/@me/projects/{id}', { params, body: toSettings(values) });
        if (answer.data) acceptValues(form, entered, toValues(answer.data));
        return answer;
      });
      await refresh('/users/@me/projects');
      say('The settings are saved.');
    },
  });
  return (
    <form className="flex flex-col gap-8" onSubmit={submit} noValidate>
      <LeaveGuard isDirty={form.formState.isDirty} />
      <div className="flex max-w-xl flex-col gap-5">
        <FormField control={form.control} name="name" label="Name" />
        <Controller
          control={form.control}
          name="suppressTransactional"
          render={({ field }) => (
            <Switch isSelected={field.value} onChange={field.onChange}>
              Also withhold transactional email from contacts that bounced or complained
            </Switch>
          )}
        />
      </div>
      <Section
        title="Brand"
        description="What your contacts see in the footer of marketing email, and on the pages where they unsubscribe."
      >
        <BrandFields form={form} />
      </Section>
      <ErrorNote error={failure} className="max-w-xl" />
      <Button
        type="submit"
        look="primary"
        className="self-start"
        isPending={form.formState.isSubmitting}
        isDisabled={!form.formState.isDirty}
      >
        Save
      </Button>
    </form>
  );
}
