import { byCursor } from '../../api/by-cursor.ts';
import { $api, type Schema } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { RowLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Pages } from '../../ui/list.tsx';
import { Section } from '../../ui/page.tsx';
import { Time } from '../../ui/time.tsx';
import { linkOf, subjectOf } from '../activity/activity-link.ts';
import { ExecutionSteps } from '../activity/execution-steps.tsx';
import { activityDetail, activityWords } from './activity-words.ts';
import { timelineInit } from './queries.ts';

/** Everything that happened to a contact, newest first: emails, events, subscription, workflows and their steps. */
export function ContactTimeline({ contactId }: { contactId: string }) {
  const query = $api.useInfiniteQuery('get', '/activity', timelineInit(contactId), byCursor);
  return (
    <Section title="Timeline">
      <Pages
        query={query}
        rowsOf={(page) => page.data}
        empty={<EmptyState title="No activity yet">Emails and events show here.</EmptyState>}
      >
        {(rows) => (
          <ol className="flex flex-col">
            {rows.map((row) => (
              <Entry key={row.id} row={row} />
            ))}
          </ol>
        )}
      </Pages>
    </Section>
  );
}

const dots: Record<string, string> = {
  'email.bounced': 'bg-bad',
  'email.complained': 'bg-bad',
  'contact.unsubscribed': 'bg-warn',
  'contact.snoozed': 'bg-warn',
  'email.opened': 'bg-good',
  'email.clicked': 'bg-good',
};

function Entry({ row }: { row: Schema<'Activity'> }) {
  const projectId = useProjectId();
  const detail = activityDetail(row);
  const link = linkOf(projectId, row);
  const { workflowId, executionId } = subjectOf(row);
  const words = activityWords(row);
  return (
    <li className="flex gap-3 border-b border-line py-2">
      <span
        aria-hidden
        className={`mt-1.5 size-2 shrink-0 rounded-full ${dots[row.type] ?? 'bg-line-strong'}`}
      />
      <div className="min-w-0 flex-1">
        <span className="block">{link === null ? words : <RowLink {...link}>{words}</RowLink>}</span>
        {detail !== '' && <span className="block truncate text-sm text-muted">{detail}</span>}
        {row.type === 'workflow.started' && workflowId !== undefined && executionId !== undefined && (
          <ExecutionSteps workflowId={workflowId} executionId={executionId} />
        )}
      </div>
      <span className="text-sm text-muted">
        <Time at={row.timestamp} />
      </span>
    </li>
  );
}
