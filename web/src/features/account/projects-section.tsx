import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schema } from '../../api/client.ts';
import { userQuery } from '../../shell/session.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button, RowLink } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loaded } from '../../ui/list.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { LeaveProjectDialog } from './leave-project-dialog.tsx';

type Project = Schema<'Project'>;

const roles = { OWNER: 'Owner', ADMIN: 'Admin', MEMBER: 'Member' } as const;

/** Rows shown at first, and added by "Show more". */
const step = 100;

interface ProjectsSectionProps {
  query: UseQueryResult<{ data: Project[] }, unknown>;
  onCreate: () => void;
}

export function ProjectsSection({ query, onCreate }: ProjectsSectionProps) {
  const { data: user } = useQuery(userQuery);
  const [leaving, setLeaving] = useState<Project | null>(null);
  return (
    <Section title="Your projects">
      <Loaded query={query}>
        {({ data }) =>
          data.length === 0 ? (
            <EmptyState
              title="No project yet"
              action={
                <Button look="primary" onPress={onCreate}>
                  Create a project
                </Button>
              }
            >
              Contacts, emails and keys belong to a project. Create one, or ask to be invited.
            </EmptyState>
          ) : (
            <ProjectTable projects={data} onLeave={setLeaving} />
          )
        }
      </Loaded>
      {user && <LeaveProjectDialog project={leaving} userId={user.id} onClose={() => setLeaving(null)} />}
    </Section>
  );
}

function ProjectTable({
  projects,
  onLeave,
}: {
  projects: readonly Project[];
  onLeave: (project: Project) => void;
}) {
  const [shown, setShown] = useState(step);
  return (
    <>
      <Table
        label="Projects"
        rows={projects.slice(0, shown)}
        idOf={({ id }) => id}
        columns={[
          {
            header: 'Name',
            isBreakable: true,
            className: 'max-w-80',
            cell: ({ id, name }) => (
              <RowLink to="/projects/$projectId" params={{ projectId: id }}>
                {name}
              </RowLink>
            ),
          },
          { header: 'Your role', cell: ({ role }) => roles[role] },
          {
            header: 'Status',
            cell: ({ disabled }) =>
              disabled ? <Badge tone="bad">Disabled</Badge> : <Badge tone="good">Active</Badge>,
          },
          {
            header: 'Created',
            align: 'right',
            isSecondary: true,
            cell: ({ createdAt }) => <Time at={createdAt} />,
          },
          {
            header: 'Actions',
            isHeaderHidden: true,
            align: 'right',
            cell: (project) => (
              <Menu
                label={`Actions for ${project.name}`}
                actions={[
                  {
                    label: 'Leave the project …',
                    isDangerous: true,
                    onAction: () => onLeave(project),
                  },
                ]}
              />
            ),
          },
        ]}
      />
      {projects.length > shown && (
        <Button className="self-center" onPress={() => setShown(shown + step)}>
          Show more
        </Button>
      )}
    </>
  );
}
