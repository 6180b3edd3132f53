import { useQuery } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import type { Schema } from '../../api/client.ts';
import { useProjectId } from '../../shell/use-project-id.ts';
import { RowLink } from '../../ui/button.tsx';
import { Loaded } from '../../ui/list.tsx';
import { quantity } from '../../ui/numbers.ts';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { linkOf, subjectOf } from '../activity/activity-link.ts';
import { homeQueries, mostListed } from './queries.ts';

type Item = Schema<'Activity'>;

/** Campaigns, and workflows with all their contacts. */
const mostShown = 8;

/** Scheduled campaigns and waiting executions, those of a workflow together. */
export function Upcoming() {
  const projectId = useProjectId();
  // What is due leaves the list by itself.
  const query = useQuery({ ...homeQueries.upcoming, refetchInterval: 15_000 });
  return (
    <Section title="Coming up">
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="text-muted">No campaign is scheduled, and no workflow waits for a time.</p>
          ) : (
            <Table
              label="Coming up"
              rows={groupsOf(data).slice(0, mostShown)}
              idOf={([{ id }]) => id}
              columns={[
                {
                  header: 'What',
                  cell: (group) => {
                    const link = linkTo(projectId, group);
                    return link === null ? wordsOf(group) : <RowLink {...link}>{wordsOf(group)}</RowLink>;
                  },
                  isBreakable: true,
                },
                {
                  header: 'When',
                  align: 'right',
                  cell: ([{ timestamp }]) => <Time at={timestamp} form="exact" />,
                },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  );
}

/** What happens together; the soonest first. */
type Group = [Item, ...Item[]];

function groupsOf(items: readonly Item[]): Group[] {
  const groups = new Map<string, Group>();
  for (const item of items) {
    const key = subjectOf(item).workflowId ?? item.id;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return [...groups.values()];
}

function linkTo(projectId: string, [first, ...others]: Group): LinkProps | null {
  const { workflowId } = subjectOf(first);
  if (workflowId === undefined || others.length === 0) return linkOf(projectId, first);
  return {
    to: '/projects/$projectId/workflows/$workflowId',
    params: { projectId, workflowId },
    search: { view: 'executions', status: 'WAITING' },
  };
}

function wordsOf([{ type, metadata, contactEmail }, ...others]: Group): string {
  if (type === 'campaign.scheduled') return `The campaign “${String(metadata.campaignName)}” is sent`;
  const contact = contactEmail ?? 'a deleted contact';
  // There may be more than the API has listed.
  const more = others.length + 1 < mostListed ? quantity(others.length, 'other') : 'others';
  const who = others.length === 0 ? contact : `${contact} and ${more}`;
  return `“${String(metadata.workflowName)}” continues for ${who}`;
}
