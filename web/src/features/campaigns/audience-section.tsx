import { Controller, useFormContext } from 'react-hook-form';
import { ApiError } from '../../api/api-error.ts';
import { $api } from '../../api/client.ts';
import { SegmentSelect } from '../../shell/segment-select.tsx';
import { useProjectId } from '../../shell/use-project-id.ts';
import { TextLink } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/error-note.tsx';
import { count, quantity } from '../../ui/numbers.ts';
import { Panel, Section } from '../../ui/page.tsx';
import { RadioChoice } from '../../ui/radio-choice.tsx';
import { ConditionField } from '../segments/condition-builder/condition-field.tsx';
import type { CampaignValues } from './campaign-values.ts';
import type { useAudience } from './use-audience.ts';

const audienceTypes = [
  { value: 'ALL', label: 'All contacts' },
  { value: 'SEGMENT', label: 'A segment' },
  { value: 'FILTERED', label: 'Contacts who meet a condition' },
] as const;

/** The choice of recipients, and their number. */
export function AudienceSection({ audience }: { audience: ReturnType<typeof useAudience> }) {
  const { control, watch } = useFormContext<CampaignValues>();
  const audienceType = watch('audienceType');
  const issues = audience.error instanceof ApiError ? audience.error.issues : [];
  return (
    <Section title="Audience">
      <div className="grid grid-cols-1 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_18rem]">
        <div className="flex min-w-0 flex-col gap-4">
          <Controller
            control={control}
            name="audienceType"
            render={({ field }) => (
              <RadioChoice
                label="Who gets it"
                options={audienceTypes}
                value={field.value}
                onChange={field.onChange}
              />
            )}
          />
          {audienceType === 'SEGMENT' && <SegmentField />}
          {audienceType === 'FILTERED' && (
            <ConditionField control={control} name="audienceCondition" refused={issues} />
          )}
        </div>
        <AudienceCount audience={audience} />
      </div>
    </Section>
  );
}

function SegmentField() {
  const { control } = useFormContext<CampaignValues>();
  const projectId = useProjectId();
  const query = $api.useQuery('get', '/segments');
  const { data } = query;
  if (data?.data.length === 0) {
    return (
      <p className="text-muted">
        There are no segments yet.{' '}
        <TextLink to="/projects/$projectId/segments" params={{ projectId }}>
          Create one
        </TextLink>
      </p>
    );
  }
  return (
    <Controller
      control={control}
      name="segmentId"
      render={({ field, fieldState }) => (
        <SegmentSelect
          segments={data?.data ?? []}
          query={query}
          value={field.value}
          onChange={field.onChange}
          error={fieldState.error?.message}
          buttonRef={field.ref}
        />
      )}
    />
  );
}

const reasons = [
  { name: 'unsubscribed', label: 'unsubscribed' },
  { name: 'snoozed', label: 'snoozed their subscription' },
  { name: 'suppressed', label: 'suppressed after a bounce or complaint' },
] as const;

function AudienceCount({ audience }: { audience: ReturnType<typeof useAudience> }) {
  const { counts, isWhole } = audience;
  const isSegment = useFormContext<CampaignValues>().watch('audienceType') === 'SEGMENT';
  if (!isWhole) {
    return (
      <Panel>
        <p className="text-muted" aria-live="polite">
          {isSegment ? 'Choose a segment' : 'Complete the condition'} to see how many people will get it.
        </p>
      </Panel>
    );
  }
  return (
    <Panel>
      <div aria-live="polite">
        <p className="text-xl font-semibold" data-numeric>
          {counts ? quantity(counts.recipients, 'person', 'people') : '…'}
        </p>
        <p className="text-muted">will get it, as of now</p>
      </div>
      {counts && counts.total > counts.recipients && (
        <div className="mt-3 border-t border-line pt-3 text-sm">
          <p className="font-medium">{count(counts.total - counts.recipients)} left out:</p>
          <ul>
            {reasons.map(({ name, label }) =>
              counts.excluded[name] === 0 ? null : (
                <li key={name} className="text-muted" data-numeric>
                  {count(counts.excluded[name])} {label}
                </li>
              ),
            )}
          </ul>
        </div>
      )}
      <AudienceError audience={audience} className="mt-3" />
    </Panel>
  );
}

interface AudienceErrorProps {
  audience: ReturnType<typeof useAudience>;
  className: string;
}

/** Why the audience could not be counted. */
export function AudienceError({ audience: { counts, error, refetch }, className }: AudienceErrorProps) {
  return <ErrorNote error={counts ? null : error} className={className} onRetry={() => void refetch()} />;
}
