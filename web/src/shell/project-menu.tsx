import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Menu } from '../ui/menu.tsx';
import { exactText } from '../ui/time-text.ts';
import { projectsQuery } from './session.ts';

/** Switches the project; the last entry creates one. */
export function ProjectMenu({
  trigger,
  onLeave,
}: {
  trigger: ReactNode;
  onLeave?: (() => void) | undefined;
}) {
  const navigate = useNavigate();
  const { data } = useSuspenseQuery(projectsQuery);
  const byName = Map.groupBy(data.data, ({ name }) => name);
  const open = (projectId: string) => {
    onLeave?.();
    void navigate({ to: '/projects/$projectId', params: { projectId } });
  };
  return (
    <Menu
      label="Projects"
      trigger={trigger}
      actions={[
        ...data.data.map(({ id, name, createdAt }) => ({
          id,
          label: name,
          // Distinguishes projects with the same name.
          note:
            byName.get(name)?.length === 1
              ? undefined
              : `Created ${exactText(new Date(createdAt), Date.now())}`,
          onAction: () => open(id),
        })),
        {
          label: 'New project …',
          onAction: () => void navigate({ to: '/account', search: { create: true } }),
        },
      ]}
    />
  );
}
