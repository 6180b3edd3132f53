import { useState } from 'react';
import { Controller } from 'react-hook-form';
import { ApiError } from '../../api/api-error.ts';
import { api, type Schema } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { Switch } from '../../ui/field.tsx';
import { useApiForm } from '../../ui/form.ts';
import { FormField } from '../../ui/form-field.tsx';
import { Section } from '../../ui/page.tsx';
import { say } from '../../ui/toast.tsx';
import { BrandFields } from './brand-fields.tsx';
import { projectSchema, toSettings, toValues } from './project-values.ts';

/** Settings as they were when the form opened; a change by somebody else in between is not overwritten. */
export function ProjectForm({ project }: { project: Schema<'Project'> }) {
  const [seen, setSeen] = useState(project.updatedAt);
  const { form, failure, submit } = useApiForm({
    schema: projectSchema,
    defaultValues: toValues(project),
    save: async (values) => {
      const params = { path: { id: project.id }, header: { 'if-match': `"${seen}"` } };
      try {
        const { data } = await api.PATCH('/users/@me/projects/{id}', { params, body: toSettings(values) });
        if (data) {
          setSeen(data.updatedAt);
          form.reset(toValues(data));
        }
      } catch (error) {
        if (!(error instanceof ApiError) || error.status !== 409) throw error;
        // To save once more is to overwrite, knowing it.
        setSeen(String(error.details.updatedAt));
        throw new ApiError(error.status, error.requestId, {
          message:
            'Somebody else has changed these settings since you opened them. What you entered is still here: save again to replace their change, or reload the page to see it.',
        });
      }
      await refresh('/users/@me/projects');
      say('The settings are saved.');
    },
  });
  return (
    <form className="flex flex-col gap-8" onSubmit={submit} noValidate>
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
