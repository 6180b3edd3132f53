import { useQuery } from '@tanstack/react-query';
import { useProjectId } from '../../shell/use-project-id.ts';
import { RowLink } from '../../ui/button.tsx';
import { Loaded } from '../../ui/list.tsx';
import { count } from '../../ui/numbers.ts';
import { Section } from '../../ui/page.tsx';
import type { PeriodLength } from '../../ui/period.ts';
import { Table } from '../../ui/table.tsx';
import { changeText } from './metrics.ts';
import { analyticsQueries } from './queries.ts';

export function TopEvents({ period }: { period: PeriodLength }) {
  const projectId = useProjectId();
  const query = useQuery(analyticsQueries(period).topEvents);
  return (
    <Section title="Events">
      <Loaded query={query}>
        {(events) =>
          events.length === 0 ? (
            <p className="text-muted">No event happened in this period.</p>
          ) : (
            <Table
              label="Events"
              rows={events}
              idOf={({ name }) => name}
              columns={[
                {
                  header: 'Event',
                  className: 'w-full max-w-0 min-w-24',
                  cell: ({ name }) => (
                    <RowLink
                      to="/projects/$projectId/events"
                      params={{ projectId }}
                      search={{ name }}
                      className="block truncate"
                    >
                      {name}
                    </RowLink>
                  ),
                },
                { header: 'Times', align: 'right', cell: (event) => count(event.count) },
                {
                  header: 'Previous period',
                  align: 'right',
                  isSecondary: true,
                  cell: (event) => count(event.previousCount),
                },
                {
                  header: 'Change',
                  align: 'right',
                  className: 'whitespace-nowrap',
                  cell: (event) => changeText(event.count, event.previousCount),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}
