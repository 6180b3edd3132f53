import { getRouteApi } from '@tanstack/react-router';
import { z } from 'zod';
import { $api, api } from '../../api/client.ts';
import { refresh } from '../../api/query-client.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { acceptValues, useApiForm } from '../../ui/form.ts';
import { FormField } from '../../ui/form-field.tsx';
import { LeaveGuard } from '../../ui/leave-guard.tsx';
import { Loaded } from '../../ui/list.tsx';
import { count } from '../../ui/numbers.ts';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { say } from '../../ui/toast.tsx';
import { Billing, CheckoutNote, isAwaited } from './billing.tsx';

const categories = [
  { name: 'transactional', label: 'Transactional' },
  { name: 'campaigns', label: 'Campaigns' },
  { name: 'workflows', label: 'Workflows' },
  { name: 'inbound', label: 'Received' },
] as const;

type Limits = Record<(typeof categories)[number]['name'], number | null>;

const cap = z
  .string()
  .trim()
  .regex(/^\d{0,10}$/, 'Enter a whole number, or leave empty for no limit.');
const schema = z.object({ transactional: cap, campaigns: cap, workflows: cap, inbound: cap });

const route = getRouteApi('/signed-in/projects/$projectId/settings');

export function Limits({ projectId }: { projectId: string }) {
  const params = { path: { id: projectId } };
  const { checkout } = route.useSearch();
  const limits = $api.useQuery('get', '/users/@me/projects/{id}/billing-limits', { params });
  const consumption = $api.useQuery(
    'get',
    '/users/@me/projects/{id}/billing-consumption',
    { params },
    { refetchInterval: ({ state }) => isAwaited(checkout, state.data?.subscription) && 3_000 },
  );
  const subscription = consumption.data?.subscription;
  const { data: config } = $api.useQuery('get', '/config');
  return (
    <div className="flex flex-col gap-8">
      <CheckoutNote checkout={checkout} subscription={subscription} />
      <Section title="This month">
        <Loaded query={consumption}>
          {(data) => (
            <>
              <p className="text-sm text-muted">
                The count starts again on <Time at={data.period.end} form="exact" />.
              </p>
              <Table
                label="Emails of this month"
                rows={categories}
                idOf={({ name }) => name}
                columns={[
                  { header: 'Emails', cell: ({ label }) => label },
                  { header: 'Used', align: 'right', cell: ({ name }) => count(data.categories[name].used) },
                  {
                    header: 'Left',
                    align: 'right',
                    cell: ({ name }) => {
                      const { remaining } = data.categories[name];
                      if (remaining === 0) return <Badge tone="bad">Limit reached</Badge>;
                      return remaining === null ? 'No limit' : count(remaining);
                    },
                  },
                ]}
              />
            </>
          )}
        </Loaded>
      </Section>
      <Section
        title="Limits per month"
        description="Sending stops at a limit, so a mistake can't send more than you allow."
      >
        <Loaded query={limits}>{(data) => <LimitsForm projectId={projectId} limits={data} />}</Loaded>
      </Section>
      {config?.features.billing && (
        <Billing
          projectId={projectId}
          subscription={subscription}
          isAwaited={isAwaited(checkout, subscription)}
        />
      )}
    </div>
  );
}

function LimitsForm({ projectId, limits }: { projectId: string; limits: Limits }) {
  const text = (limit: number | null) => (limit === null ? '' : String(limit));
  const value = (written: string) => (written === '' ? null : Number(written));
  const { form, failure, submit } = useApiForm({
    schema,
    defaultValues: {
      transactional: text(limits.transactional),
      campaigns: text(limits.campaigns),
      workflows: text(limits.workflows),
      inbound: text(limits.inbound),
    },
    save: async (written) => {
      const entered = form.getValues();
      // Sends only the changed limits, because somebody else may have changed another one meanwhile.
      const changed = categories.filter(({ name }) => dirtyFields[name]);
      const body = Object.fromEntries(changed.map(({ name }) => [name, value(written[name])]));
      await api.PUT('/users/@me/projects/{id}/billing-limits', { params: { path: { id: projectId } }, body });
      acceptValues(form, entered, written);
      await refresh('/users/@me/projects/{id}');
      say('The limits are saved.');
    },
  });
  const { dirtyFields } = form.formState;
  return (
    <form className="flex max-w-xl flex-col gap-4" onSubmit={submit} noValidate>
      <LeaveGuard isDirty={form.formState.isDirty} />
      <div className="grid gap-4 sm:grid-cols-2">
        {categories.map(({ name, label }) => (
          <FormField
            key={name}
            control={form.control}
            name={name}
            label={label}
            inputMode="numeric"
            placeholder="No limit"
          />
        ))}
      </div>
      <ErrorNote error={failure} />
      <Button type="submit" look="primary" className="self-start" isPending={form.formState.isSubmitting}>
        Save the limits
      </Button>
    </form>
  );
}
