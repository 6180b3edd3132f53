import { useQuery } from '@tanstack/react-query';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Loaded } from '../../ui/list.tsx';
import { count, rate } from '../../ui/numbers.ts';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { homeQueries } from './queries.ts';

const levels = {
  healthy: { tone: 'good', label: 'Healthy' },
  warning: { tone: 'warn', label: 'Warning' },
  critical: { tone: 'bad', label: 'Critical' },
} as const satisfies Record<string, { tone: Tone; label: string }>;

/** Bounces and complaints of the last seven days against the limits at which a project is disabled. */
export function SendingHealth({ projectId }: { projectId: string }) {
  const query = useQuery(homeQueries.health(projectId));
  return (
    <Section title="Health of the last 7 days">
      <Loaded query={query}>
        {({ sevenDays, autoDisable }) => (
          <>
            <Table
              label="Bounces and complaints"
              idOf={({ name }) => name}
              rows={[
                {
                  name: 'Hard bounces',
                  of: sevenDays.bounced,
                  percent: sevenDays.bounceRate,
                  level: sevenDays.bounceLevel,
                  limit: 'Warning from 5%, critical from 10%',
                },
                {
                  name: 'Reported as spam',
                  of: sevenDays.complained,
                  percent: sevenDays.complaintRate,
                  level: sevenDays.complaintLevel,
                  limit: 'Warning from 0.1%, critical from 0.15%',
                },
              ]}
              columns={[
                { header: 'What', cell: ({ name }) => name },
                {
                  header: 'Status',
                  cell: ({ level }) => <Badge tone={levels[level].tone}>{levels[level].label}</Badge>,
                },
                {
                  header: 'Rate',
                  align: 'right',
                  cell: ({ percent, of }) => `${rate(percent)} (${count(of)} of ${count(sevenDays.sent)})`,
                },
                { header: 'Limits', isSecondary: true, align: 'right', cell: ({ limit }) => limit },
              ]}
            />
            <p className="text-sm text-muted">
              Levels apply from 100 emails. Those to simulator addresses do not count.
              {autoDisable && ' A project at a critical level is disabled automatically.'}
            </p>
          </>
        )}
      </Loaded>
    </Section>
  );
}
