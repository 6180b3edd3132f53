import { Controller } from 'react-hook-form';
import { api, type Schema } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { Button } from '../../ui/button.tsx';
import { ConflictDialog } from '../../ui/conflict-dialog.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Switch } from '../../ui/field.tsx';
import { FormField } from '../../ui/form-field.tsx';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { Section } from '../../ui/page.tsx';
import { say } from '../../ui/toast.tsx';
import { useRecordForm } from '../../ui/use-record-form.ts';
import { BrandFields } from './brand-fields.tsx';
import { projectSchema, toSettings, toValues } from './project-values.ts';

async function read(id: string): Promise<Schema<'Project'>> {
  const { data } = await api.GET('/users/@me/projects');
  const project = data?.data.find((one) => one.id === id);
  if (project === undefined) throw new Error('You are no longer a member of this project');
  return project;
}

export function ProjectForm({ project }: { project: Schema<'Project'> }) {
  const { id } = project;
  const { form, failure, submit, conflict } = useRecordForm({
    schema: projectSchema,
    stored: project,
    toValues,
    read: () => read(id),
    async write(values, header) {
      const params = { path: { id }, header };
      const { data } = await api.PATCH('/users/@me/projects/{id}', { params, body: toSettings(values) });
      await refresh('/users/@me/projects');
      say('The settings are saved.');
      return data ?? read(id);
    },
  });
  return (
    <form className="flex flex-col gap-8" onSubmit={submit} noValidate>
      <LeaveGuard isDirty={form.formState.isDirty} />
      <ConflictDialog conflict={conflict} />
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
